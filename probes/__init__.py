"""Measuring. Installed alone on GPU hosts: nothing here imports Django or the site."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The installed version, "" in a copy that is not installed."""
    try:
        return version("infermary")
    except PackageNotFoundError:
        return ""
