#!/usr/bin/env python3
"""Stands before a registry, counts what is asked of it, and fails what it is told to fail.

  registry_door.py BACKEND FOLDER

BACKEND is the registry's host:port; FOLDER has ca.pem and key.pem. Listens on two free loopback ports
(see tools/testenv/registry), and ends when its standard input does. It answers itself:

  GET /_log        one line for each request since the last PUT: METHOD PATH STATUS
  PUT /_faults     forgets that log and all faults, and takes new ones, one a line:
                   STATUS COUNT SECONDS PATTERN: the next COUNT requests whose "METHOD PATH" the
                   regular expression finds are answered, after a wait, with that status; 0: none,
                   the connection is cut in the middle of the answer
"""

import http.client
import http.server
import os
import re
import socketserver
import ssl
import sys
import threading
import time

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


class Book:
    """The log and the faults; any thread may call it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lines = []
        self.faults = []

    def reset(self, text):
        faults = []
        for line in text.splitlines():
            status, count, seconds, pattern = line.split(None, 3)
            faults.append([int(status), int(count), float(seconds), re.compile(pattern)])
        with self.lock:
            self.lines, self.faults = [], faults

    def fault_for(self, request):
        """(status, seconds) of the first fault that has not been used up, or None."""
        with self.lock:
            for fault in self.faults:
                if fault[1] > 0 and fault[3].search(request):
                    fault[1] -= 1
                    return fault[0], fault[2]
        return None

    def note(self, line):
        with self.lock:
            self.lines.append(line)

    def text(self):
        with self.lock:
            return "".join(line + "\n" for line in self.lines)


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    backend = ""
    book = Book()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self):
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length", ""))).decode()
            if self.path != "/_faults":
                raise ValueError("PUT /_faults is all there is")
            self.book.reset(body)
            self.answer(204)
        except (ValueError, re.error) as error:
            self.answer(400, f"{error}\n".encode())

    def do_GET(self):
        if self.path == "/_log":
            self.answer(200, self.book.text().encode())
            return
        request = f"{self.command} {self.path}"
        status, seconds = self.book.fault_for(request) or (None, 0)
        time.sleep(seconds)
        if status:
            self.book.note(f"{request} {status}")
            self.answer(status, b'{"errors": [{"code": "UNAVAILABLE", "message": "a test"}]}')
        else:
            self.forward(request, cut=status == 0)

    do_HEAD = do_GET

    def forward(self, request, cut):
        connection = http.client.HTTPConnection(self.backend)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():  # a name may be there more than once
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        self.book.note(f"{request} {'cut' if cut else response.status}")
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP | {"server", "date"}:
                self.send_header(name, value)
        self.end_headers()
        body = response.read() if self.command == "GET" else b""
        self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = cut or self.close_connection
        connection.close()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that hangs up is no news."""


def listen(context=None):
    server = Server(("127.0.0.1", 0), Door)
    if context:
        # The handshake is the business of the connection's own thread.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"127.0.0.1:{server.server_address[1]}"


def main(backend, folder):
    Door.backend = backend
    certificate = os.path.join(folder, "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, os.path.join(folder, "key.pem"))
    print(f"http {listen()}\nhttps {listen(context)}\nca {certificate}", flush=True)
    while sys.stdin.buffer.read(4096):
        pass


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
