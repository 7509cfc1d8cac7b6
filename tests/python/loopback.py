"""Servers on 127.0.0.1 for the download tests: HTTPS with scripted answers, and a proxy that only knows CONNECT."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Route = Callable[["Handler"], None]


class Server(ThreadingHTTPServer):
    """Answers each path by its function in `routes`; `seen` holds (path, headers) of every request."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.routes: dict[str, Route] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        # Set when the test is over, so that a stalling answer ends.
        self.over = threading.Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "", scheme: str = "https") -> str:
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of these tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.close_connection = True
        self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self.server.routes.get(self.path, status(404))(self)

    def head(self, code: int, **headers: str | int) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Proxy(BaseHTTPRequestHandler):
    """Leads every CONNECT to the port asked for on 127.0.0.1, whatever the host name."""

    server: Server

    def do_CONNECT(self) -> None:
        self.server.seen.append((self.path, {}))
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as there:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_copy, args=(there, self.connection), daemon=True)
            back.start()
            _copy(self.connection, there)
            back.join()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def running(handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None) -> Iterator[Server]:
    with Server(handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()


def status(code: int) -> Route:
    return lambda handler: handler.head(code, Content_Length=0)


def redirect(location: str) -> Route:
    return lambda handler: handler.head(302, Location=location, Content_Length=0)


def file(data: bytes, etag: str = "", has_ranges: bool = True, cuts: tuple[int, ...] = ()) -> Route:
    """The file; the n-th answer ends after `cuts[n]` bytes of its body, later ones are whole."""
    left = list(cuts)

    def answer(handler: Handler) -> None:
        wanted = handler.headers.get("Range", "")
        headers: dict[str, str | int] = {"ETag": etag} if etag else {}
        start = 0
        if has_ranges and wanted and handler.headers.get("If-Range") == etag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(data):
                handler.head(416, Content_Range=f"bytes */{len(data)}", Content_Length=0)
                return
            headers["Content_Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        body = data[start:]
        handler.head(206 if start else 200, Content_Length=len(body), **headers)
        handler.wfile.write(body[: left.pop(0)] if left else body)

    return answer
