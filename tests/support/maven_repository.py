"""A repository of Maven packages on this machine."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from support.https import Server

MIT = "<licenses><license><name>MIT License</name></license></licenses>"


def jar(files: dict[str, bytes]) -> bytes:
    """An archive as Maven packs one."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\n", **files}.items():
            archive.writestr(name, content)
    return written.getvalue()


@dataclass
class MavenRepository:
    """A repository at a server, and the versions of each package."""

    server: Server
    place: str = "/maven2"
    versions: dict[str, list[str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.server.url}{self.place}"

    def publish(self, package: str, version: str, sources: bytes | None, pom: str = MIT) -> None:
        """Publish a version of ``GROUP/ARTIFACT``, with its sources if it has some."""
        group, _, artifact = package.partition("/")
        folder = f"{self.place}/{group.replace('.', '/')}/{artifact}"
        stem = f"{folder}/{version}/{artifact}-{version}"
        names = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
        self.put(f"{stem}.pom", f"<project>{pom}{names}</project>".encode())
        if sources is not None:
            self.put(f"{stem}-sources.jar", sources)
        known = self.versions.setdefault(package, [])
        known.append(version)
        listed = "".join(f"<version>{one}</version>" for one in known)
        release = f"<release>{version}</release>"
        self.put(
            f"{folder}/maven-metadata.xml", f"<metadata><versioning>{release}{listed}</versioning></metadata>".encode()
        )

    def put(self, path: str, content: bytes) -> None:
        """Have a file, with its digest."""
        self.server.pages[path] = content
        self.server.pages[f"{path}.sha1"] = hashlib.sha1(content).hexdigest().encode()


def installation(folder: Path, url: str) -> Path:
    """What of a Maven says where its packages are."""
    (folder / "lib").mkdir(parents=True)
    repositories = f"<repositories><repository><id>central</id><url>{url}</url></repository></repositories>"
    with zipfile.ZipFile(folder / "lib" / "maven-model-builder-3.9.9.jar", "w") as archive:
        archive.writestr("org/apache/maven/model/pom-4.0.0.xml", f"<project>{repositories}</project>")
    return folder


def settings(content: str) -> str:
    return f'<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">{content}</settings>'


def mirror(url: str, of: str = "central", name: str = "ours") -> str:
    return f"<mirrors><mirror><id>{name}</id><mirrorOf>{of}</mirrorOf><url>{url}</url></mirror></mirrors>"
