"""Packages of each package manager are found as they lie in its folders, with their own files and no others."""

from __future__ import annotations

import json
import os
import zipfile
from typing import TYPE_CHECKING

import pytest

from winnow_ci.corpus import ArchiveLimits, files_of_packages, installed_packages, is_installation
from winnow_ci.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, **texts: str) -> None:
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def named(root: Path) -> list[tuple[str, str, str | None]]:
    return [one[:3] for one in installed_packages(root)]


def files(root: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    with files_of_packages(installed_packages(root), ArchiveLimits()) as listed:
        for file in listed:
            for one in listed.packages_of(file):
                found.setdefault(one.name, []).append(file.path)
    return {name: sorted(paths) for name, paths in found.items()}


def npm(root: Path, folder: str, version: str = "1.0.0") -> None:
    name = folder.rpartition("node_modules/")[2]
    write(root, **{f"{folder}/package.json": json.dumps({"name": name, "version": version}), f"{folder}/a.js": name})


def test_npm_packages_with_scopes_and_nested_versions(tmp_path: Path) -> None:
    npm(tmp_path, "node_modules/knot")
    npm(tmp_path, "node_modules/@pier/ropes")
    npm(tmp_path, "node_modules/@pier/ropes/node_modules/knot", "2.0.0")
    npm(tmp_path, "packages/app")
    write(tmp_path, **{"node_modules/knot/lib/package.json": '{"type": "module"}', "node_modules/.bin/knot": "#!"})
    assert sorted(named(tmp_path)) == [
        ("npm", "@pier/ropes", "1.0.0"),
        ("npm", "knot", "1.0.0"),
        ("npm", "knot", "2.0.0"),
    ]
    assert files(tmp_path / "node_modules/@pier")["@pier/ropes"] == ["a.js", "package.json"]
    assert files(tmp_path / "node_modules/knot") == {"knot": ["a.js", "lib/package.json", "package.json"]}


def test_a_package_that_pnpm_links_to_is_found_once(tmp_path: Path) -> None:
    npm(tmp_path, "node_modules/.pnpm/knot@1.0.0/node_modules/knot")
    (tmp_path / "node_modules/knot").symlink_to(".pnpm/knot@1.0.0/node_modules/knot")
    (one,) = installed_packages(tmp_path)
    assert one.place == tmp_path / "node_modules/.pnpm/knot@1.0.0/node_modules/knot"


def test_a_python_distribution_has_the_files_of_its_record(tmp_path: Path) -> None:
    site = tmp_path / "venv/lib/python3.12/site-packages"
    record = 'splicer.py,,\n"shared/one, two.py",,\n../../../bin/splice,,\nsplicer-2.4.dist-info/METADATA,,\n'
    head = "Metadata-Version: 2.4\nName: splicer\nVersion: 2.4\n\nName: body\n"
    write(site, **{"splicer-2.4.dist-info/METADATA": head, "splicer-2.4.dist-info/RECORD": record})
    write(site, **{"splicer.py": "", "shared/one, two.py": "", "shared/other.py": "", "loom.py": ""})
    write(tmp_path, **{"venv/bin/splice": ""})
    assert named(tmp_path) == [("pypi", "splicer", "2.4")]
    assert files(tmp_path) == {"splicer": ["shared/one, two.py", "splicer-2.4.dist-info/METADATA", "splicer.py"]}


def test_two_distributions_may_have_a_file_in_common(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = f"{name}-1.dist-info"
        write(tmp_path, **{f"{folder}/METADATA": f"Name: {name}\nVersion: 1\n", f"{folder}/RECORD": "space/a.py,,\n"})
    write(tmp_path, **{"space/a.py": ""})
    assert files(tmp_path) == {"one": ["space/a.py"], "two": ["space/a.py"]}


@pytest.mark.parametrize("mark", [".cargo-ok", ".cargo-checksum.json"])
def test_crates_of_the_cache_and_of_vendor(mark: str, tmp_path: Path) -> None:
    manifest = (
        '[package]\nedition = "2021"\nname = "hawser"\nversion = "0.3.1"\n\n[dependencies.other]\nversion = "9"\n'
    )
    write(tmp_path, **{"hawser-0.3.1/Cargo.toml": manifest, f"hawser-0.3.1/{mark}": "", "hawser-0.3.1/src/lib.rs": ""})
    write(tmp_path, **{"own/Cargo.toml": manifest})
    assert named(tmp_path) == [("cargo", "hawser", "0.3.1")]
    assert "src/lib.rs" in files(tmp_path)["hawser"]


def test_modules_of_the_cache_of_go_have_their_capitals_back(tmp_path: Path) -> None:
    write(tmp_path, **{"cache/download/example.org/!burnt/@v/list": "", "example.org/!burnt/toml@v1.6.0/a.go": ""})
    expected = [("golang", "example.org/Burnt/toml", "v1.6.0")]
    assert named(tmp_path) == named(tmp_path / "example.org") == expected


def test_a_vendored_module_within_another_one_is_no_part_of_it(tmp_path: Path) -> None:
    listed = "# example.org/a v1.0.0\n## explicit\nexample.org/a\n# example.org/a/v2 v2.1.0 => example.org/b v2.2.0\n"
    listed += "# example.org/gone v1.0.0\n# ../up v1.0.0\n"
    write(tmp_path, **{"vendor/modules.txt": listed, "up/a.go": ""})
    write(tmp_path, **{"vendor/example.org/a/a.go": "", "vendor/example.org/a/v2/b.go": ""})
    assert named(tmp_path) == [("golang", "example.org/a", "v1.0.0"), ("golang", "example.org/a/v2", "v2.2.0")]
    assert files(tmp_path) == {"example.org/a": ["a.go"], "example.org/a/v2": ["b.go"]}


@pytest.mark.parametrize("form", ['{{"packages": [{0}]}}', "[{0}]"])
def test_packages_of_composer(form: str, tmp_path: Path) -> None:
    one = json.dumps({"name": "pier/rope", "version": "v2.0", "install-path": "../pier/rope"})
    out = json.dumps({"name": "pier/out", "version": "v1", "install-path": "../../src"})
    write(tmp_path, **{"vendor/composer/installed.json": form.format(f"{one}, {out}")})
    write(tmp_path, **{"vendor/pier/rope/Rope.php": "", "src/Own.php": ""})
    assert named(tmp_path) == [("composer", "pier/rope", "v2.0")]
    assert files(tmp_path) == {"pier/rope": ["Rope.php"]}


def test_sources_of_maven_have_the_licences_of_a_parent(tmp_path: Path) -> None:
    folder = tmp_path / "repository/org/pier/rope/1.2"
    parent = "<parent><groupId>org.pier</groupId><artifactId>up</artifactId><version>3</version></parent>"
    write(folder, **{"rope-1.2.pom": parent, "../../up/3/up-3.pom": "<licenses><license/></licenses>"})
    with zipfile.ZipFile(folder / "rope-1.2-sources.jar", "w") as jar:
        jar.writestr("Rope.java", b"class Rope {}")
    assert named(tmp_path) == [("maven", "org.pier/rope", "1.2")]
    with files_of_packages(installed_packages(tmp_path), ArchiveLimits()) as listed:
        contents = {file.path: file.content for file in listed}
        assert sorted(file.path for file in listed.files) == sorted(contents)
    assert contents == {"Rope.java": b"class Rope {}", "pom.xml": b"<licenses><license/></licenses>"}


def test_what_a_package_says_of_itself_leads_nowhere_else(tmp_path: Path) -> None:
    write(tmp_path, **{"secret.py": "", "site/x-1.dist-info/METADATA": "Name: x\n"})
    write(
        tmp_path,
        **{"site/x-1.dist-info/RECORD": "../secret.py,,\n/etc/passwd,,\nlink/a.py,,\nx.py,,\n", "site/x.py": ""},
    )
    (tmp_path / "site/link").symlink_to(tmp_path)
    assert files(tmp_path / "site") == {"x": ["x.py"]}


@pytest.mark.parametrize(
    "text", ["", "[", "[1]", '{"name": 7}', '{"name": ""}', '{"name": "a\\u001b[31m"}', "[" * 100_000]
)
def test_what_is_no_description_is_no_package(text: str, tmp_path: Path) -> None:
    write(tmp_path, **{"node_modules/a/package.json": text, "vendor/composer/installed.json": text})
    assert named(tmp_path) == []


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "node_modules/a").mkdir(parents=True)
    os.mkfifo(tmp_path / "node_modules/a/package.json")
    assert named(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="No such file"):
        installed_packages(tmp_path / "gone")


def test_which_folders_package_managers_fill(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{"venv/pyvenv.cfg": "", "site/a-1.dist-info/METADATA": "", "node_modules/a/a.js": "", "own/a.py": ""},
    )
    assert [is_installation(tmp_path / name) for name in ("venv", "site", "node_modules", "own")] == [True] * 3 + [
        False
    ]
