"""What the pages show, made of what the knowledge and the ranking say. Pure: no Django, no database."""
