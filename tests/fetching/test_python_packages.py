"""Python packages: from which index, which version, which file."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.https import Server, answer, serving
from winnow_ci.errors import FetchError
from winnow_ci.fetching import Artifact, ResolvedSource, fetch, resolve
from winnow_ci.fetching.python_packages import pip_settings

if TYPE_CHECKING:
    from support.https import Authority

JSON = "application/vnd.pypi.simple.v1+json"


@pytest.fixture(autouse=True)
def _own_pip(monkeypatch: pytest.MonkeyPatch, authority: Authority) -> None:
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    set_up(monkeypatch, cert=str(authority.file), extra_index_url="", find_links="")


def set_up(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    pip_settings.cache_clear()
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name.upper()}", value)


@pytest.fixture
def index(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    set_up(monkeypatch, index_url=f"{server.url}/simple")
    return server


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def publish(server: Server, project: str, *filenames: str, **more: Any) -> None:
    """Make a page with files whose content is their name; ``more`` says more of single files, or of all."""
    files = []
    for filename in filenames:
        server.pages[f"/files/{filename}"] = filename.encode()
        file = {"filename": filename, "url": f"/files/{filename}", "hashes": {"sha256": _sha256(filename.encode())}}
        files.append(file | more.get(filename, {}))
    page = json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": files}).encode()
    server.pages[f"/simple/{project}/"] = lambda handler: answer(handler, 200, page, {"Content-Type": JSON})


def chosen(origin: str) -> str:
    return resolve(origin).artifacts[0].filename


def test_a_source_distribution_is_pinned_without_a_download_and_fetched_by_its_pin(index: Server) -> None:
    publish(index, "some-thing", "some_thing-1.0-py3-none-any.whl", "some_thing-1.0.tar.gz")
    resolved = resolve("pkg:pypi/Some_Thing@1.0")
    digest = _sha256(b"some_thing-1.0.tar.gz")
    assert resolved == ResolvedSource("some-thing", "1.0", (Artifact("some_thing-1.0.tar.gz", digest),))
    assert index.paths() == ["/simple/some-thing/"]
    (path,) = fetch("pkg:pypi/some-thing@1.0", resolved)
    assert path.read_bytes() == b"some_thing-1.0.tar.gz"
    before = len(index.requests)
    assert fetch("pkg:pypi/some-thing@1.0", resolved) == (path,)
    assert len(index.requests) == before


@pytest.mark.parametrize(
    ("filenames", "expected"),
    [
        (["a-1.zip", "a-1.tar.gz", "a-1.tar.bz2"], "a-1.tar.gz"),
        (["a-1.win32.exe", "a-1-py2.7.egg", "a-1.tar.bz2"], "a-1.tar.bz2"),
        (["a-1-cp312-cp312-win32.whl", "a-1-py2.py3-none-any.whl"], "a-1-py2.py3-none-any.whl"),
        (["a-1-py2-none-any.whl", "a-1-py3-none-any.whl"], "a-1-py3-none-any.whl"),
        (["a-1-cp312-cp312-win32.whl", "a-1-cp312-cp312-linux_x86_64.whl"], "a-1-cp312-cp312-linux_x86_64.whl"),
        (["a-b-1.tar.gz", "a-1.tar.gz"], "a-1.tar.gz"),
        (["a-1-py3-none-../../x.whl", "a-1-py3-none-win32.whl"], "a-1-py3-none-win32.whl"),
    ],
)
def test_what_is_nearest_to_the_source_is_chosen(filenames: list[str], expected: str, index: Server) -> None:
    publish(index, "a", *filenames)
    assert chosen("pkg:pypi/a@1") == expected
    publish(index, "a", *reversed(filenames))
    assert chosen("pkg:pypi/a@1") == expected


def test_the_newest_version_is_one_that_its_maintainers_stand_by(index: Server) -> None:
    files = ["a-1.9.tar.gz", "a-1.10.tar.gz", "a-2.0.tar.gz", "a-3.0rc1.tar.gz", "a-3.0.dev1.tar.gz"]
    publish(index, "a", *files, **{"a-2.0.tar.gz": {"yanked": "broken"}})
    assert resolve("pkg:pypi/a").version == "1.10"
    assert resolve("pkg:pypi/a@2.0").version == "2.0"
    assert resolve("pkg:pypi/a@3.0rc1").version == "3.0rc1"


def test_a_yanked_file_is_taken_only_if_its_version_has_no_other(index: Server) -> None:
    publish(index, "a", "a-1.tar.gz", "a-1-py3-none-any.whl", **{"a-1.tar.gz": {"yanked": True}})
    assert chosen("pkg:pypi/a@1") == "a-1-py3-none-any.whl"


def test_versions_are_compared_as_versions(index: Server) -> None:
    publish(index, "a", "a-1.0.0.tar.gz", "a-2.0+cpu-py3-none-any.whl")
    assert chosen("pkg:pypi/a@1") == "a-1.0.0.tar.gz"
    assert chosen("pkg:pypi/a@2.0") == "a-2.0+cpu-py3-none-any.whl"


def test_a_qualifier_chooses_a_file(index: Server) -> None:
    publish(index, "a", "a-1.tar.gz", "a-1-py3-none-any.whl", "a-2.tar.gz")
    assert chosen("pkg:pypi/a@1?file_name=a-1-py3-none-any.whl") == "a-1-py3-none-any.whl"
    with pytest.raises(FetchError, match=r"no such file(.|\n)*there are: a-2.tar.gz"):
        resolve("pkg:pypi/a@2?file_name=a-1.tar.gz")


def test_what_there_is_instead_is_told(index: Server) -> None:
    publish(index, "a", *(f"a-{number}.tar.gz" for number in range(9)))
    with pytest.raises(FetchError, match=r"no such version at https://localhost(.|\n)*are: 8, 7, 6, 5, 4 …"):
        resolve("pkg:pypi/a@99")
    publish(index, "a", "a-1rc1.tar.gz")
    with pytest.raises(FetchError, match="every version is yanked or a pre-release\nname one of: 1rc1"):
        resolve("pkg:pypi/a")
    with pytest.raises(FetchError, match="pkg:pypi/unknown: no source distribution and no wheel at https://localhost"):
        resolve("pkg:pypi/unknown")


HTML = """<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0"><base href="/files/"></head>
<a href="a-1.tar.gz#sha256={digest}">a-1.tar.gz</a> <a href="a-2.tar.gz#sha256={digest}" data-yanked="">a-2.tar.gz</a>
<a href="a%2B-3.tar.gz">another</a> <a>nothing</a> <a href="a-1-py3-none-any.whl#md5=0">a wheel</a></html>"""


def test_an_index_of_html_pages(index: Server) -> None:
    page = HTML.format(digest=_sha256(b"one")).encode()
    index.pages["/simple/a/"] = lambda handler: answer(handler, 200, page, {"Content-Type": "text/html; charset=utf-8"})
    index.pages["/files/a-1.tar.gz"] = b"one"
    resolved = resolve("pkg:pypi/a")
    assert resolved.artifacts == (Artifact("a-1.tar.gz", _sha256(b"one")),)
    assert fetch("pkg:pypi/a", resolved)[0].read_bytes() == b"one"


def test_without_a_hash_in_the_index_the_first_download_gives_it(index: Server) -> None:
    publish(index, "a", "a-1.tar.gz", **{"a-1.tar.gz": {"hashes": {}}})
    resolved = resolve("pkg:pypi/a")
    assert resolved.artifacts[0].sha256 == _sha256(b"a-1.tar.gz")
    index.pages["/files/a-1.tar.gz"] = b"something else"
    assert fetch("pkg:pypi/a", resolved)[0].read_bytes() == b"a-1.tar.gz"
    fetch("pkg:pypi/a", resolved)[0].unlink()
    with pytest.raises(FetchError, match="its sha256 is"):
        fetch("pkg:pypi/a", resolved)


def test_a_file_that_is_another_now_is_refused(index: Server) -> None:
    publish(index, "a", "a-1.tar.gz")
    resolved = ResolvedSource("a", "1", (Artifact("a-1.tar.gz", "0" * 64),))
    with pytest.raises(FetchError, match=f"a-1.tar.gz now has the sha256 {_sha256(b'a-1.tar.gz')}, but 000"):
        fetch("pkg:pypi/a@1", resolved)
    index.pages["/simple/a/"] = b"<html></html>"
    with pytest.raises(FetchError, match=r"no a-1.tar.gz at https://localhost"):
        fetch("pkg:pypi/a@1", resolved)


def test_the_first_index_wins_and_a_pin_is_found_in_any(
    index: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(index, "a", "a-1.tar.gz")
    publish(other, "a", "a-1.tar.gz", "a-2.tar.gz", **{"a-1.tar.gz": {"hashes": {"sha256": _sha256(b"theirs")}}})
    other.pages["/files/a-1.tar.gz"] = b"theirs"
    set_up(monkeypatch, extra_index_url=f"{other.url}/simple")
    assert resolve("pkg:pypi/a@1").artifacts[0].sha256 == _sha256(b"a-1.tar.gz")
    assert resolve("pkg:pypi/a").version == "2"
    pinned = ResolvedSource("a", "1", (Artifact("a-1.tar.gz", _sha256(b"theirs")),))
    assert fetch("pkg:pypi/a@1", pinned)[0].read_bytes() == b"theirs"


def test_an_index_that_does_not_answer_is_not_passed_over(
    index: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.pages["/simple/a/"] = lambda handler: answer(handler, 403)
    publish(other, "a", "a-1.tar.gz")
    set_up(monkeypatch, extra_index_url=f"{other.url}/simple")
    with pytest.raises(FetchError, match="/simple/a/: the server answers 403"):
        resolve("pkg:pypi/a")


def test_credentials_of_an_index_are_for_its_pages_and_files_only(
    index: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(index, "a", "a-1.tar.gz", "a-2.tar.gz", **{"a-2.tar.gz": {"url": f"{other.url}/a-2.tar.gz"}})
    other.pages["/a-2.tar.gz"] = b"a-2.tar.gz"
    set_up(monkeypatch, index_url=f"{index.url.replace('https://', 'https://ann:s3cr%40t@')}/simple")
    for version in "12":
        fetch("pkg:pypi/a", resolve(f"pkg:pypi/a@{version}"))
    assert {request.headers["Authorization"] for request in index.requests} == {"Basic YW5uOnMzY3JAdA=="}
    assert "Authorization" not in other.requests[0].headers
    with pytest.raises(FetchError) as caught:
        resolve("pkg:pypi/unknown")
    assert "s3cr" not in str(caught.value)


def test_an_index_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "simple" / "a").mkdir(parents=True)
    (tmp_path / "simple" / "a" / "index.html").write_text('<a href="../../a-1.tar.gz">a-1</a>', encoding="utf-8")
    (tmp_path / "a-1.tar.gz").write_bytes(b"one")
    for url in ((tmp_path / "simple").as_uri(), str(tmp_path / "simple")):
        set_up(monkeypatch, index_url=url)
        resolved = resolve("pkg:pypi/a")
        assert fetch("pkg:pypi/a", resolved)[0].read_bytes() == b"one"
    with pytest.raises(FetchError, match="no source distribution"):
        resolve("pkg:pypi/b")


def test_an_https_index_cannot_name_files_of_this_machine(index: Server, tmp_path: Path) -> None:
    (tmp_path / "a-1.tar.gz").write_bytes(b"mine")
    publish(index, "a", "a-1.tar.gz", **{"a-1.tar.gz": {"url": (tmp_path / "a-1.tar.gz").as_uri(), "hashes": {}}})
    with pytest.raises(FetchError, match="not an https URL"):
        resolve("pkg:pypi/a")


def test_a_folder_or_a_page_of_links(index: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a-1.tar.gz").write_bytes(b"one")
    index.pages["/links.html"] = b'<a href="/files/a-2.tar.gz">two</a>'
    index.pages["/files/a-2.tar.gz"] = b"two"
    set_up(monkeypatch, find_links=f"{tmp_path} {index.url}/links.html {tmp_path}/missing")
    for version, content in (("1", b"one"), ("2", b"two")):
        resolved = resolve(f"pkg:pypi/a@{version}")
        assert fetch("pkg:pypi/a", resolved)[0].read_bytes() == content
    set_up(monkeypatch, no_index="1")
    assert [Path(registry.url).name for registry in pip_settings().lists] == [tmp_path.name, "links.html", "missing"]
    assert pip_settings().indexes == ()


def test_configuration_files_of_pip_count_and_variables_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://one.invalid/simple\nextra-index-url = https://two.invalid/\n    https://ann:pw@three.invalid/\n"
        "[install]\nindex-url = https://four.invalid/simple\n",
        encoding="utf-8",
    )
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL")
    set_up(monkeypatch, config_file=str(tmp_path / "pip.conf"))
    urls = [registry.url for registry in pip_settings().indexes]
    assert urls == ["https://four.invalid/simple", "https://two.invalid/", "https://three.invalid/"]
    set_up(monkeypatch, index_url="https://five.invalid/simple")
    assert pip_settings().indexes[0].url == "https://five.invalid/simple"


def test_a_machine_without_pip_has_the_one_that_python_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment"], check=True)
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://one.invalid/simple\n", encoding="utf-8")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "environment" / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    set_up(monkeypatch, config_file=str(tmp_path / "pip.conf"))
    assert [registry.url for registry in pip_settings().indexes] == ["https://one.invalid/simple"]


def test_settings_and_code_in_the_folder_that_the_user_is_in_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("print(\"global.index-url='https://evil.invalid/'\")", encoding="utf-8")
    (tmp_path / "wheels").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    set_up(monkeypatch, index_url="https://one.invalid/simple", find_links="wheels ./wheels")
    assert pip_settings().indexes[0].url == "https://one.invalid/simple"
    assert pip_settings().lists == ()


@pytest.mark.parametrize(
    "content", [b"not json", b"[]", b"{}", b"[" * 100_000, b'{"meta": {"api-version": "2.0"}, "files": []}']
)
def test_a_page_that_is_none_is_an_error(content: bytes, index: Server) -> None:
    index.pages["/simple/a/"] = lambda handler: answer(handler, 200, content, {"Content-Type": JSON})
    with pytest.raises(FetchError, match="/simple/a/: not a page of a Python package index"):
        resolve("pkg:pypi/a")


def test_a_page_of_html_of_a_later_kind_is_an_error(index: Server) -> None:
    index.pages["/simple/a/"] = b'<meta name="pypi:repository-version" content="2.0">'
    with pytest.raises(FetchError, match="not a page of a Python package index"):
        resolve("pkg:pypi/a")


def test_an_index_by_http_is_used_where_pip_is_set_up_so(plain_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(plain_server, "a", "a-1.tar.gz")
    set_up(monkeypatch, index_url=f"{plain_server.url}/simple")
    assert fetch("pkg:pypi/a", resolve("pkg:pypi/a"))[0].read_bytes() == b"a-1.tar.gz"
    with serving(None) as another:
        publish(plain_server, "a", "a-1.tar.gz", **{"a-1.tar.gz": {"url": f"{another.url}/a-1.tar.gz", "hashes": {}}})
        with pytest.raises(FetchError, match="not an https URL"):
            resolve("pkg:pypi/a")
