"""A proxy of Go modules on this machine, with a checksum database (https://go.dev/ref/mod#checksum-database)."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

if TYPE_CHECKING:
    from support.https import Server

_DATABASE = "sums.invalid"


def zipped(module: str, version: str, files: dict[str, bytes]) -> bytes:
    """The zip of a module."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{module}@{version}/{name}", content)
    return written.getvalue()


def h1(contents: dict[str, bytes]) -> str:
    """Go's hash of some files: that of a list of their hashes."""
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(contents.items())]
    return f"h1:{b64encode(hashlib.sha256(''.join(lines).encode()).digest()).decode()}"


def escaped(text: str) -> str:
    """A path as Go asks for it: ``!`` before a letter that is a capital."""
    return re.sub(r"[A-Z]", lambda found: f"%21{found[0].lower()}", text)


@dataclass
class GoProxy:
    """A proxy at a server, and the records of its checksum database."""

    server: Server
    records: list[tuple[str, str]] = field(default_factory=list)
    _key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def url(self) -> str:
        return f"{self.server.url}/go"

    def publish(self, module: str, version: str, files: dict[str, bytes]) -> bytes:
        """Publish a version, the newest so far, and record its hashes; returns its zip."""
        mod = f"module {module}\n".encode()
        content = zipped(module, version, {"go.mod": mod, **files})
        self._show(module, version, content, mod)
        all_files = {f"{module}@{version}/{name}": text for name, text in {"go.mod": mod, **files}.items()}
        sums = f"{module} {version} {h1(all_files)}\n{module} {version}/go.mod {h1({'go.mod': mod})}\n"
        self.records.append((f"{escaped(module)}@{version}", sums))
        self._sign()
        return content

    def replace(self, module: str, version: str, content: bytes) -> None:
        """Have another zip of a version; the checksum database knows nothing of that."""
        self._show(module, version, content, f"module {module}\n".encode())

    def _show(self, module: str, version: str, content: bytes, mod: bytes) -> None:
        about = json.dumps({"Version": version, "Time": "2024-05-01T12:00:00Z"}).encode()
        place = f"/go/{escaped(module)}"
        pages = self.server.pages
        listed = pages.get(f"{place}/@v/list", b"")
        assert isinstance(listed, bytes)
        pages[f"{place}/@v/list"] = listed + f"{version}\n".encode()
        for ending, page in (("info", about), ("mod", mod), ("zip", content)):
            pages[f"{place}/@v/{version}.{ending}"] = page

    # ---- the checksum database -----------------------------------------------------------------------------------

    def database(self) -> str:
        """``GOSUMDB`` for it."""
        public = b"\x01" + self._key.public_key().public_bytes_raw()
        return f"{_DATABASE}+{_identity(public).hex()}+{b64encode(public).decode()} {self.server.url}/sums"

    def _sign(self) -> None:
        leaves = [hashlib.sha256(b"\0" + record.encode()).digest() for _, record in self.records]
        tree = f"go.sum database tree\n{len(leaves)}\n{b64encode(_root(leaves)).decode()}\n"
        public = b"\x01" + self._key.public_key().public_bytes_raw()
        signature = b64encode(_identity(public) + self._key.sign(tree.encode())).decode()
        note = f"{tree}\n\N{EM DASH} {_DATABASE} {signature}\n"
        self.server.pages["/sums/latest"] = note.encode()
        self.server.pages[f"/sums/tile/8/0/000.p/{len(leaves)}"] = b"".join(leaves)
        for number, (name, record) in enumerate(self.records):
            self.server.pages[f"/sums/lookup/{name}"] = f"{number}\n{record}\n{note}".encode()


def _identity(public: bytes) -> bytes:
    return hashlib.sha256(f"{_DATABASE}\n".encode() + public).digest()[:4]


def _root(leaves: list[bytes]) -> bytes:
    """The hash of a tree (RFC 6962, section 2.1)."""
    if len(leaves) == 1:
        return leaves[0]
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + _root(leaves[:left]) + _root(leaves[left:])).digest()
