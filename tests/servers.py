"""Git servers on loopback for tests: HTTP with basic authentication, and sshd with throwaway keys."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from support import free_port, is_open, needs, wait

PASSWORD = "s3cret"
USERS = ("maint", "forker")


class GitOverHttp:
    """`git http-backend` behind basic authentication: anybody reads, the users above push; hooks see REMOTE_USER."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name: str, user: str = "maint") -> str:
        return f"http://{user}:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:  # noqa: C901  (one class, its methods counted as branches)
        root = self.root

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.answer(b"")

            def do_POST(self) -> None:
                self.answer(self.body())

            def body(self) -> bytes:
                length = self.headers.get("Content-Length")
                if length is not None:
                    return self.rfile.read(int(length))
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def user(self) -> str | None:
                kind, _, coded = self.headers.get("Authorization", "").partition(" ")
                if kind.lower() != "basic":
                    return None
                name, _, word = base64.b64decode(coded).decode().partition(":")
                return name if word == PASSWORD and name in USERS else None

            def answer(self, body: bytes) -> None:
                user, parts = self.user(), urlsplit(self.path)
                if user is None and "git-receive-pack" in self.path:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                env = _cgi(root, self.command, parts.path, parts.query, self.headers, len(body), user)
                done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False)
                head, _, data = done.stdout.partition(b"\r\n\r\n")
                fields = [line.decode().partition(": ") for line in head.split(b"\r\n") if line]
                status = next((int(text.split()[0]) for key, _, text in fields if key.lower() == "status"), 200)
                self.send_response(status)
                for key, _, text in fields:
                    if key.lower() not in ("status", "content-length"):
                        self.send_header(key, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler


def _cgi(
    root: Path, method: str, path: str, query: str, headers: Message, length: int, user: str | None
) -> dict[str, str]:
    """The environment that `git http-backend` reads."""
    made = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(root),
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": method,
        "CONTENT_TYPE": headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(length),
        "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    return made | ({"REMOTE_USER": user} if user else {})


class GitOverSsh:
    """sshd on loopback with a throwaway host key and one user key; a forced command runs git-shell."""

    def __init__(self, root: Path) -> None:
        self.root, self.port = root, free_port()
        folder = root / "ssh"
        folder.mkdir()
        for name in ("host", "user"):
            subprocess.run([needs("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
        public = (folder / "user.pub").read_text().strip()
        shell = folder / "shell.sh"
        shell.write_text('#!/bin/sh\nexec git-shell -c "$SSH_ORIGINAL_COMMAND"\n')
        shell.chmod(0o755)
        (folder / "keys").write_text(f'command="{shell}",no-pty,no-port-forwarding {public}\n')
        (folder / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile {folder}/pid\n"
            f"AuthorizedKeysFile {folder}/keys\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        )
        Path("/run/sshd").mkdir(parents=True, exist_ok=True)
        words = [needs("sshd"), "-D", "-f", str(folder / "config"), "-E", str(folder / "log")]
        self.child = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        wait("sshd", lambda: is_open(self.port))
        self.command = (
            f"{needs('ssh')} -i {folder}/user -o IdentitiesOnly=yes -o StrictHostKeyChecking=no"
            f" -o UserKnownHostsFile={folder}/known -o LogLevel=ERROR"
        )

    def url(self, path: Path) -> str:
        return f"ssh://root@127.0.0.1:{self.port}{path}" if os.geteuid() == 0 else self._own(path)

    def _own(self, path: Path) -> str:
        import getpass

        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{path}"

    def stop(self) -> None:
        self.child.terminate()
        self.child.wait()
