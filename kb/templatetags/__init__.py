"""Template tags of the site."""
