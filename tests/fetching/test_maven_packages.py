"""Packages of Maven: which repository, which version, which files."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.donor import ROUTES
from support.https import answer, redirecting
from support.manifest import Project
from support.maven_repository import MavenRepository, installation, jar, mirror, settings
from winnow_ci.errors import FetchError
from winnow_ci.fetching import Artifact, ResolvedSource, fetch, resolve
from winnow_ci.fetching.maven_packages import maven_repositories

if TYPE_CHECKING:
    from support.https import Server

GSON = "com.google.code.gson/gson"
PURL = f"pkg:maven/{GSON}"
SOURCES = jar({"com/google/gson/Gson.java": b"class Gson {}\n"})
NO_LICENCE = "<name>Gson</name>"


@pytest.fixture
def repository(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MavenRepository:
    """What the user's Maven asks, without any settings."""
    found = MavenRepository(server)
    monkeypatch.setenv("MAVEN_HOME", str(installation(tmp_path / "maven", found.url)))
    write_settings("")
    return found


def write_settings(content: str) -> None:
    place = Path(os.environ["HOME"], ".m2", "settings.xml")
    place.parent.mkdir(exist_ok=True)
    place.write_text(settings(content))
    maven_repositories.cache_clear()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_version_or_the_newest_with_the_pom_that_has_its_licence(repository: MavenRepository) -> None:
    for version in ("2.9", "2.10", "2.11-beta1", "2.11.0-RC2", "2.8"):
        repository.publish(GSON, version, SOURCES + version.encode())
    pom = repository.server.pages["/maven2/com/google/code/gson/gson/2.10/gson-2.10.pom"]
    assert isinstance(pom, bytes)
    artifacts = (
        Artifact("gson-2.10-sources.jar", sha256(SOURCES + b"2.10")),
        Artifact("pom.xml", sha256(pom)),
    )
    # Maven calls the version "release" that was published last, and here that is an old one.
    listed = b"<release>2.11.0-RC2</release><version>2.9</version><version>2.10</version><version>2.11.0-RC2</version>"
    repository.put("/maven2/com/google/code/gson/gson/maven-metadata.xml", listed)
    assert resolve(PURL) == ResolvedSource(GSON, "2.10", artifacts)
    assert resolve(f"{PURL}@2.10?classifier=sources&type=jar").artifacts == artifacts
    assert resolve(f"{PURL}@2.11-beta1").version == "2.11-beta1"
    asked = len(repository.server.requests)
    assert [path.read_bytes() for path in fetch(PURL, resolve(PURL))] == [SOURCES + b"2.10", pom]
    resolved = resolve(PURL)
    assert len(repository.server.requests) > asked
    asked = len(repository.server.requests)
    fetch(PURL, resolved)
    assert len(repository.server.requests) == asked


@pytest.mark.parametrize(
    ("versions", "newest"),
    [
        (["1.0-alpha-1", "1.0", "1.1-m2", "1.1.0.CR1"], "1.0"),
        (["33.0.0-android", "33.0.0-jre"], "33.0.0-jre"),
        (["1.0.Final", "2.0.Beta1", "2.0.0a1", "2.0-SNAPSHOT"], "1.0.Final"),
        (["20040616", "3.2.2"], "3.2.2"),
    ],
)
def test_which_version_is_the_newest(versions: list[str], newest: str, repository: MavenRepository) -> None:
    for version in versions:
        repository.publish(GSON, version, SOURCES)
    assert resolve(PURL).version == newest


def test_pre_releases_alone_are_named(repository: MavenRepository) -> None:
    repository.publish(GSON, "1.0-rc1", SOURCES)
    with pytest.raises(FetchError, match="pre-release") as raised:
        resolve(PURL)
    assert "1.0-rc1" in raised.value.remedy


def test_a_licence_of_the_parent_is_that_of_the_package(repository: MavenRepository, tmp_path: Path) -> None:
    parent = "<parent><groupId>com.google</groupId><artifactId>parent</artifactId><version>7</version></parent>"
    sources = jar({"com/google/gson/routes.py": ROUTES.encode(), "META-INF/a.py": b"a = 1\n"})
    # What a comment says does not count.
    repository.publish(GSON, "1.0", sources, f"<!-- <licenses></licenses> <!-- -->{parent}")
    repository.publish("com.google/parent", "7", None)
    project = Project.create(tmp_path)
    project.declare(PURL)
    assert project.synced() == {GSON: "added"}
    assert project.sources() == {GSON: ("1.0", "MIT")}
    assert "com/google/gson/routes.py" in project.paths()
    assert "license-from: pom.xml" in project.lock.read_text()
    assert repository.server.url not in project.lock.read_text()
    asked = len(repository.server.requests)
    assert project.synced("--frozen") == {GSON: "unchanged"}
    assert len(repository.server.requests) == asked


def test_parents_without_end(repository: MavenRepository) -> None:
    parent = (
        "<parent><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>1.0</version></parent>"
    )
    repository.publish(GSON, "1.0", SOURCES, parent)
    assert [one.filename for one in resolve(PURL).artifacts] == ["gson-1.0-sources.jar"]
    assert sum(path.endswith(".pom") for path in repository.server.paths()) == 8


def test_a_parent_that_leads_elsewhere_is_not_asked_for(repository: MavenRepository) -> None:
    parent = "<parent><groupId>../../etc</groupId><artifactId>passwd</artifactId><version>1</version></parent>"
    repository.publish(GSON, "1.0", SOURCES, parent)
    assert len(resolve(PURL).artifacts) == 1
    assert not [path for path in repository.server.paths() if "passwd" in path]


def test_a_file_that_is_not_what_its_repository_or_the_lock_says(
    repository: MavenRepository, cache_folder: Path
) -> None:
    repository.publish(GSON, "1.0", SOURCES)
    resolved = resolve(PURL)
    place = "/maven2/com/google/code/gson/gson/1.0/gson-1.0-sources.jar"
    repository.server.pages[place] = jar({"Evil.java": b"class Evil {}\n"})
    with pytest.raises(FetchError, match="its sha1 is"):
        resolve(PURL)
    repository.server.pages[f"{place}.sha256"] = sha256(SOURCES).upper().encode() + b"  gson-1.0-sources.jar\n"
    with pytest.raises(FetchError, match="its sha256 is"):
        resolve(PURL)
    repository.server.pages[place] = SOURCES
    pom = place.replace("-sources.jar", ".pom")
    repository.server.pages[pom] = b"<licenses><license><name>Public Domain</name></license></licenses>"
    with pytest.raises(FetchError, match=r"\.pom: its sha1 is"):
        resolve(PURL)
    shutil.rmtree(cache_folder)
    repository.publish(GSON, "1.0", jar({"Evil.java": b"class Evil {}\n"}))
    with pytest.raises(FetchError, match="its sha256 is"):
        fetch(PURL, resolved)


def test_what_has_no_sources_and_what_is_not_there(repository: MavenRepository) -> None:
    repository.publish(GSON, "1.0", None)
    with pytest.raises(FetchError, match="published without a sources jar") as raised:
        resolve(PURL)
    assert "git: URL" in raised.value.remedy
    with pytest.raises(FetchError, match="no such version"):
        resolve(f"{PURL}@2.0")
    with pytest.raises(FetchError, match="no such package"):
        resolve("pkg:maven/org.example/nothing")


def test_hostile_answers(repository: MavenRepository) -> None:
    repository.publish(GSON, "1.0", SOURCES)
    pages, folder = repository.server.pages, "/maven2/com/google/code/gson/gson"
    pages[f"{folder}/maven-metadata.xml"] = redirecting("file:///etc/passwd")
    with pytest.raises(FetchError, match="redirected to a URL that is not https"):
        resolve(PURL)
    repository.put(f"{folder}/maven-metadata.xml", b"<version>../../../etc/passwd</version><version>-x</version>")
    with pytest.raises(FetchError, match="every version is a pre-release"):
        resolve(PURL)
    pages[f"{folder}/maven-metadata.xml"] = lambda handler: answer(handler, 200, b"", {"Content-Length": str(9 << 20)})
    with pytest.raises(FetchError, match="larger than"):
        resolve(PURL)
    pages[f"{folder}/1.0/gson-1.0-sources.jar.sha1"] = lambda handler: answer(handler, 200, bytes(2 << 10))
    with pytest.raises(FetchError, match="larger than 1,024 bytes"):
        resolve(f"{PURL}@1.0")


# ---- the user's settings -----------------------------------------------------------------------------------------


def test_mirrors_stand_for_repositories_with_their_credentials(
    repository: MavenRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = MavenRepository(repository.server, "/private")
    private.publish(GSON, "1.0", SOURCES)
    expected = f"Basic {b64encode(b'me:s3cret').decode()}"
    for path, page in list(private.server.pages.items()):

        def guarded(handler, page=page):  # type: ignore[no-untyped-def]
            allowed = handler.headers.get("Authorization") == expected
            answer(handler, 200 if allowed else 401, page if allowed else b"")

        private.server.pages[path] = guarded
    write_settings(mirror(private.url, "*,!other"))
    with pytest.raises(FetchError, match="answers 401"):
        resolve(PURL)
    monkeypatch.setenv("MAVEN_PASSWORD", "s3cret")
    server = "<server><id>ours</id><username>me</username><password>${env.MAVEN_PASSWORD}</password></server>"
    write_settings(f"{mirror(private.url, '*,!other')}<servers>{server}</servers>")
    assert resolve(PURL).version == "1.0"
    write_settings(
        f"{mirror(private.url)}<servers>{server.replace('${env.MAVEN_PASSWORD}', '{COQLCE6DU6GtcS5P=}')}</servers>"
    )
    with pytest.raises(FetchError, match="encrypted") as raised:
        resolve(PURL)
    assert "COQLC" not in str(raised.value)


@pytest.mark.parametrize(
    ("of", "is_meant"),
    [
        ("central", True),
        ("*", True),
        ("other,central", True),
        ("*,!central", False),
        ("!central,*", False),
        ("other", False),
        ("external:*", False),
        ("external:http:*", False),
    ],
)
def test_which_repositories_a_mirror_stands_for(of: str, is_meant: bool, repository: MavenRepository) -> None:
    write_settings(mirror("https://mirror.invalid/maven", of))
    assert [one.url == "https://mirror.invalid/maven" for one in maven_repositories()] == [is_meant]


def test_repositories_of_active_profiles_come_first(repository: MavenRepository) -> None:
    def profile(name: str, more: str = "") -> str:
        repositories = f"<repository><id>{name}</id><url>https://{name}.invalid</url></repository>"
        return f"<profile><id>{name}</id>{more}<repositories>{repositories}</repositories></profile>"

    profiles = (
        profile("on")
        + profile("off")
        + profile("usual", "<activation><activeByDefault>true</activeByDefault></activation>")
    )
    write_settings(f"<profiles>{profiles}</profiles><activeProfiles><activeProfile>on</activeProfile></activeProfiles>")
    urls = [one.url for one in maven_repositories()]
    assert urls == ["https://on.invalid", "https://usual.invalid", repository.url]


def test_the_proxy_of_the_settings(plain_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MAVEN_HOME", str(tmp_path))
    behind = MavenRepository(plain_server, "http://maven.invalid/m")
    behind.publish(GSON, "1.0", SOURCES)
    host, port = plain_server.url.removeprefix("http://").split(":")
    proxy = f"<host>{host}</host><port>{port}</port><username>me</username><password>s3cret</password>"
    write_settings(f"{mirror('http://maven.invalid/m')}<proxies><proxy>{proxy}</proxy></proxies>")
    assert resolve(PURL).version == "1.0"
    asked = plain_server.requests[-1].headers["Proxy-Authorization"]
    assert asked == f"Basic {b64encode(b'me:s3cret').decode()}"
    excepted = "<nonProxyHosts>localhost|*.invalid</nonProxyHosts>"
    write_settings(f"{mirror('http://maven.invalid/m')}<proxies><proxy>{proxy}{excepted}</proxy></proxies>")
    assert [one.proxy for one in maven_repositories()] == [None]


def test_without_maven_only_a_mirror_says_where_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAVEN_HOME", raising=False)
    monkeypatch.delenv("M2_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    write_settings("")
    with pytest.raises(FetchError, match="your Maven repository is unknown") as raised:
        resolve(PURL)
    assert "settings.xml" in raised.value.remedy
    write_settings(mirror("https://mirror.invalid/maven"))
    assert [one.url for one in maven_repositories()] == ["https://mirror.invalid/maven"]
    program = installation(tmp_path / "maven", "https://central.invalid") / "bin" / "mvn"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho ran >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "mvn").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    write_settings("")
    assert [one.url for one in maven_repositories()] == ["https://central.invalid"]


@pytest.mark.skipif(not shutil.which("mvn"), reason="no mvn")
def test_a_real_maven_says_where_its_packages_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAVEN_HOME", raising=False)
    monkeypatch.delenv("M2_HOME", raising=False)
    maven_repositories.cache_clear()
    [found] = maven_repositories()
    assert found.url.startswith("https://")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<mirrors><mirror>", "cannot be read"),
        (mirror("http://[", "*"), "is invalid"),
        (
            mirror("https://mirror.invalid", "*").replace("<url>", "<blocked>true</blocked><url>"),
            "block the repository",
        ),
    ],
)
def test_settings_that_cannot_be_followed(content: str, problem: str, repository: MavenRepository) -> None:
    write_settings(content)
    with pytest.raises(FetchError, match=problem) as raised:
        resolve(PURL)
    assert raised.value.remedy
