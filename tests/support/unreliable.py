"""A connection to a server that is cut, held up, delayed, or leads to something else."""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PART = 1 << 16


@dataclass
class UnreliableLine:
    """What happens between a client and a server.

    Attributes:
        to: port of the server, on the loopback address; None for one that says only ``greeting``.
        cut_after: bytes from the server, after which the connection ends.
        stall_after: bytes from the server, after which nothing more comes.
        delay: seconds that each byte takes in each direction, however many are under way.
        greeting: what comes first from the server.
        port: of this end.
        sent, received: bytes to and from the server.
        turns: how many times the direction has changed to the server's: round trips.
    """

    to: int | None
    cut_after: float = float("inf")
    stall_after: float = float("inf")
    delay: float = 0.0
    greeting: bytes = b""
    port: int = 0
    sent: int = 0
    received: int = 0
    turns: int = 0
    _upwards: bool = field(default=False, repr=False)

    def serve(self, listening: socket.socket) -> None:
        """Take connections until the socket is closed."""
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._connected, args=[client], daemon=True).start()

    def _connected(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.sendall(self.greeting)
            if self.to is None:
                return
            with socket.create_connection(("127.0.0.1", self.to)) as server:
                back = threading.Thread(target=self._downwards, args=[server, client], daemon=True)
                back.start()
                with _later(server, self.delay) as send:
                    while part := client.recv(_PART):
                        self.sent += len(part)
                        self.turns += not self._upwards
                        self._upwards = True
                        send(part)
                server.shutdown(socket.SHUT_WR)
                back.join()

    def _downwards(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            with _later(client, self.delay) as send:
                while part := server.recv(_PART):
                    self._upwards = False
                    allowed = int(min(len(part), max(0, min(self.cut_after, self.stall_after) - self.received)))
                    send(part[:allowed])
                    self.received += len(part)
                    if self.received >= self.stall_after:
                        time.sleep(60)
                    if self.received >= self.cut_after:
                        break
            client.shutdown(socket.SHUT_RDWR)
            server.shutdown(socket.SHUT_RDWR)


@contextmanager
def _later(to: socket.socket, delay: float) -> Iterator[Callable[[bytes], None]]:
    """What sends to a socket, some seconds later: in order, and without waiting for what was sent before."""
    # Otherwise the system holds small parts back until others have been confirmed.
    to.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not delay:
        yield to.sendall
        return
    waiting: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

    def deliver() -> None:
        with suppress(OSError):
            while (delivery := waiting.get())[1]:
                time.sleep(max(0.0, delivery[0] - time.monotonic()))
                to.sendall(delivery[1])

    delivering = threading.Thread(target=deliver, daemon=True)
    delivering.start()
    yield lambda part: waiting.put((time.monotonic() + delay, part))
    waiting.put((0.0, b""))
    delivering.join()


@contextmanager
def between(line: UnreliableLine) -> Iterator[UnreliableLine]:
    """Put a line in place, at a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        line.port = listening.getsockname()[1]
        threading.Thread(target=line.serve, args=[listening], daemon=True).start()
        yield line
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
