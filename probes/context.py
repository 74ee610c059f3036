"""What a running probe may use of this machine: progress, cancellation, and the engines it may talk to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from probes import processes
from probes.spec import Cancelled, Refused

Progress = Callable[[float, str, str], None]


class LocalContext:
    """The `Context` of a probe that runs here.

    Args:
        allowed: addresses of engines ("127.0.0.1:8000" or "http://10.0.0.5:8000") that the operator listed in the
            worker's own configuration. Engines found among the processes of this machine are allowed on loopback.
        on_progress: called with (share 0-1, zh, en).
        is_cancelled: asked at every progress report.
    """

    def __init__(
        self,
        allowed: Iterable[str] = (),
        on_progress: Progress | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.listed = {address(item): base_url(item) for item in allowed}
        self.on_progress = on_progress
        self.is_cancelled = is_cancelled

    def progress(self, share: float, zh: str, en: str) -> None:
        if self.is_cancelled():
            raise Cancelled
        if self.on_progress:
            self.on_progress(min(1.0, max(0.0, share)), zh, en)

    def engine_url(self, engine: str) -> str:
        """The base URL of `engine` ("host:port", with or without "engine:" before it); "" means the only one there is."""
        known = self.listed | {address(found): base_url(found) for found in processes.engine_addresses()}
        if not known:
            raise Refused(
                "这台主机上没有发现正在运行的推理引擎；如果它在别处运行，请在 worker 的配置里列出它的地址。",
                "No running engine was found on this host; if it runs elsewhere, list its address in the worker's configuration.",
            )
        listed = ", ".join(sorted(known))
        if not engine and len(known) > 1:
            raise Refused(f"这里有多个引擎，请指定一个：{listed}。", f"Several engines run here, name one: {listed}.")
        wanted = address(engine) if engine else listed
        if wanted not in known:
            raise Refused(
                f"不允许访问 {engine}；允许的引擎：{listed}。", f"{engine} is not allowed; allowed engines: {listed}."
            )
        return known[wanted]


def address(engine: str) -> str:
    """ "host:port" of an address given with or without scheme, "engine:" or path."""
    return engine.removeprefix("engine:").removeprefix("http://").removeprefix("https://").split("/")[0]


def base_url(engine: str) -> str:
    scheme = "https://" if engine.startswith("https://") else "http://"
    return scheme + address(engine)
