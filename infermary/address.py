"""Is the address free on which the site is to listen? `python -m infermary.address 127.0.0.1:8000` says why not."""

from __future__ import annotations

import errno
import socket
import sys


def trouble(address: str) -> str:
    """What keeps the site from listening at `host:port`, in both languages, with what to do; "" where nothing does."""
    host, _, port = address.rpartition(":")
    if not (port.isdecimal() and int(port) < 65536):
        return f"{address!r} is no address like 127.0.0.1:8000. / {address!r} 不是形如 127.0.0.1:8000 的地址。"
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # As the server does it, so that the connections of a server that has just ended are no trouble.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as error:
            return _said(address, int(port), error)
    return ""


def _said(address: str, port: int, error: OSError) -> str:
    if error.errno != errno.EADDRINUSE:
        return f"The site cannot listen at {address}: {error.strerror}. / 无法监听 {address}：{error.strerror}。"
    other = port + 1
    return (
        f"Port {port} is in use, perhaps by another Infermary: look at http://{address}/ or stop that program,\n"
        f"or take another port:  PORT={other} make run\n"
        f"端口 {port} 已被占用，也许 Infermary 已在运行：请打开 http://{address}/ 看看，或停掉占用的程序，\n"
        f"或换一个端口：  PORT={other} make run"
    )


if __name__ == "__main__":
    sys.exit(trouble(sys.argv[1]) or None)
