"""A git server on the loopback interface: git's own http-backend behind basic authentication.

`maint` may write everything, `forker` everything but claims and feed, `reader` nothing; nobody reads a private one.
The Action sends `x-access-token:<token>`; the token is the name of one of these. Every request is remembered.
"""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

USERS = ("maint", "forker", "reader")
HOOK = """#!/bin/sh
while read -r old new ref; do
  case "$ref $REMOTE_USER" in
    *" maint") ;;
    "refs/ank/"*|"refs/tenure/"*) echo "write access required" >&2; exit 1 ;;
  esac
done
"""


class GitServer:
    """Serve the bare repositories below a folder. `away` makes it answer 503, `private` asks readers for a name too."""

    def __init__(self, root: Path) -> None:
        self.root, self.away, self.private = root, False, False
        self.pushes = 0
        self.users: list[str | None] = []
        self.doubled = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def create(self, name: str) -> Path:
        """A bare repository that takes pushes and hands out any object, as GitHub does."""
        path = self.root / f"{name}.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
        for key in ("http.receivepack", "uploadpack.allowAnySHA1InWant", "uploadpack.allowFilter"):
            subprocess.run(["git", "-C", str(path), "config", key, "true"], check=True)
        hook = path / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOOK)
        hook.chmod(0o755)
        return path

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def serve(self) -> None:
            given = self.headers.get_all("Authorization") or []
            server.doubled += len(given) > 1
            user = _user(given[-1]) if given else None
            server.users.append(user)
            body = self._body()
            writes = "git-receive-pack" in self.path
            if server.away:
                self._answer(503, [], b"")
            elif user is None and (writes or given or server.private):
                self._answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            elif user == "reader" and writes:
                self._answer(403, [], b"")
            else:
                server.pushes += self.command == "POST" and writes
                self._answer(*_backend(server.root, self, body, user))

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _answer(self, status: int, headers: list[tuple[str, str]], data: bytes) -> None:
            self.send_response(status)
            for name, text in headers:
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    for verb in ("GET", "POST"):
        setattr(Handler, f"do_{verb}", Handler.serve)
    return Handler


def _user(header: str) -> str | None:
    kind, _, text = header.partition(" ")
    if kind.lower() != "basic":
        return None
    name, _, word = base64.b64decode(text).decode().partition(":")
    token = word if name == "x-access-token" else name
    return token if token in USERS else None


def _backend(
    root: Path, request: BaseHTTPRequestHandler, body: bytes, user: str | None
) -> tuple[int, list[tuple[str, str]], bytes]:
    address = urlsplit(request.path)
    path = address.path if ".git/" in address.path else address.path.replace("/info/", ".git/info/", 1)
    path = path if ".git/" in path else path.replace("/git-", ".git/git-", 1)
    env = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": address.query,
        "REQUEST_METHOD": request.command,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        **({"REMOTE_USER": user} if user else {}),
    }
    out = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False).stdout
    head, _, data = out.partition(b"\r\n\r\n")
    status, headers = 200, []
    for line in head.decode().split("\r\n"):
        name, _, text = line.partition(": ")
        if name.lower() == "status":
            status = int(text.split()[0])
        elif name and name.lower() != "content-length":
            headers.append((name, text))
    return status, headers, data
