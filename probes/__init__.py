"""Measuring. Installed alone on GPU hosts: nothing here imports Django or the site."""
