"""An index of Python packages on this machine."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.models.index import PyPI

from support.debian import tarball
from support.donor import ROUTES
from support.https import Server, answer
from winnow_ci.config.manifest import starter
from winnow_ci.fetching.packages import parse_purl

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_JSON = "application/vnd.pypi.simple.v1+json"


class PythonIndex(NamedTuple):
    """An index, and what it has: file names and their contents, by project."""

    server: Server
    files: dict[str, dict[str, bytes]]

    def publish(self, project: str, version: str, code: str, path: str | None = None, licence: str = "MIT") -> None:
        """Publish a source distribution of one module, by default one with the name of the project."""
        filename = f"{project}-{version}.tar.gz"
        folder = f"{project}-{version}"
        about = f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\nLicense-Expression: {licence}\n"
        members = {f"{folder}/PKG-INFO": about.encode(), f"{folder}/{path or f'{project}.py'}": code.encode()}
        self.files.setdefault(project, {})[filename] = tarball(members)
        self._show(project)

    def publish_starter(self) -> None:
        """Publish what the starter of Python names, in the pinned versions and in newer ones."""
        for number, one in enumerate(starter("python")):
            package = parse_purl(one["purl"])
            for version in (package.version or "", "9999"):
                code = f"{ROUTES}\n\ndef only_in_{number}():\n    return {version.split('.')}\n"
                self.publish(package.name, version, code, licence="GPL-3.0-only")

    def offer(self, file: Path) -> None:
        """Publish a distribution that was built."""
        project = file.name.partition("-")[0].replace("_", "-")
        self.files.setdefault(project, {})[file.name] = file.read_bytes()
        self._show(project)

    def send_elsewhere(self) -> None:
        """Answer for all other projects with where pip would look."""
        self.server.pages[""] = lambda handler: answer(
            handler, 302, headers={"Location": PyPI.simple_url + handler.path.removeprefix("/simple")}
        )

    def withdraw(self, project: str) -> None:
        """Have a project no more."""
        for filename in self.files.pop(project):
            del self.server.pages[f"/files/{filename}"]
        del self.server.pages[f"/simple/{project}/"]

    def _show(self, project: str) -> None:
        listed = []
        for filename, content in self.files[project].items():
            self.server.pages[f"/files/{filename}"] = content
            hashes = {"sha256": hashlib.sha256(content).hexdigest()}
            listed.append({"filename": filename, "url": f"/files/{filename}", "hashes": hashes})
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": listed}).encode()
        self.server.pages[f"/simple/{project}/"] = lambda handler: answer(handler, 200, page, {"Content-Type": _JSON})

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have pip use it, and no other."""
        for name in [name for name in os.environ if name.startswith("PIP_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"{self.server.url}/simple")
        monkeypatch.setenv("NO_PROXY", "*")
        monkeypatch.setenv("no_proxy", "*")
