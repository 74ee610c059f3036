"""The pages, one file each: its view, its path, its fragments."""
