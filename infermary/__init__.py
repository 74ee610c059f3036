"""The project package: settings, URLs, the site's Celery app and the `infermary` command."""
