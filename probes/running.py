"""How many requests an engine works on at this moment, by its own metrics."""

from __future__ import annotations

from probes import scrape
from probes.http import get


def requests_running(url: str) -> float | None:
    """Requests in work at the engine with this base URL, None if its metrics do not say."""
    page = get(f"{url}/metrics")
    if page.status != 200:
        return None
    try:
        gauges = scrape.parse(page.text).gauges
    except scrape.NotMetricsError:
        return None
    return sum(gauges["running"].values()) if "running" in gauges else None
