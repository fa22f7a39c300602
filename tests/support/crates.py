"""A registry of crates on this machine, as Cargo's sparse protocol has it
(https://doc.rust-lang.org/cargo/reference/registry-index.html).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from support.debian import tarball

if TYPE_CHECKING:
    from support.https import Server


def packed(name: str, version: str, files: dict[str, bytes]) -> bytes:
    """A crate under the MIT licence."""
    about = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\nlicense = "MIT"\n'
    members = {"Cargo.toml": about.encode(), "src/lib.rs": b"pub fn f() {}\n", **files}
    return tarball({f"{name}-{version}/{path}": content for path, content in members.items()})


@dataclass
class CrateRegistry:
    """A registry at a server, with a line of its index for each version of a crate."""

    server: Server
    lines: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.server.pages["/index/config.json"] = json.dumps({"dl": f"{self.server.url}/dl"}).encode()

    def settings(self) -> str:
        """What a user writes into Cargo's settings to have it stand for the registry of crates."""
        return (
            f'[source.crates-io]\nreplace-with = "ours"\n[source.ours]\nregistry = "sparse+{self.server.url}/index/"\n'
        )

    def publish(self, name: str, version: str, content: bytes, **said: Any) -> None:
        """Publish a version of a crate whose name has more than three letters."""
        checksum = hashlib.sha256(content).hexdigest()
        line = {"name": name, "vers": version, "deps": [], "cksum": checksum, "features": {}, "yanked": False, **said}
        lines = self.lines.setdefault(name, [])
        lines.append(line)
        page = "".join(f"{json.dumps(one)}\n" for one in lines).encode()
        self.server.pages[f"/index/{name[:2]}/{name[2:4]}/{name}"] = page
        self.server.pages[f"/dl/{name}/{version}/download"] = content
