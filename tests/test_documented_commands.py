"""The commands in the documentation: each is one that there is, and each that can be run does what it should.

A page's commands are run in its order, in a repository as a reader may have it: a branch with a copy in it, and beside
it whatever the commands name. A command may find something (status 1), but never fail.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import identify.identify
import pytest

from support.command import environment
from support.debian import source
from support.documentation import ROOT, blocks, command_lines, command_of, inline_commands, pages
from support.donor import BASE, CHANGE, KNOWN, LOGS, ROUTES, write_known
from support.https import serving
from support.npm_registry import packed
from support.npm_registry import serving as serving_npm
from support.python_index import PythonIndex
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RUN_ELSEWHERE = {
    "docs/tutorial.md": "the test of the first steps, below",
    "docs/releasing.md": "tests/release, as far as it publishes nothing",
    "docs/organisation.md": "tests/test_organisation.py; a server of the organisation is in tests/serving",
}
"""Pages whose commands another test gives, and where."""

NOT_RUN = {
    "pip install": "installs into the environment of the tests; tests/release has environments of its own",
    "pipx ": "tests/release installs the wheel with pip, pipx and uv",
    "winnow-ci index publish .winnow/index.db python.channel": "needs a key of SSH; tests/cli/test_channels.py",
    "winnow-ci index publish known/ROOT.head python.channel": "tests/cli/test_block_folder.py",
    "winnow-ci index push": "tests/cli/test_index_registry.py",
    "winnow-ci index pull": "tests/cli/test_index_registry.py",
    "winnow-ci index starter": "tests/cli/test_index_starter.py",
    "git fetch origin": "the way of an approval, which tests/ci/test_approval.py goes",
    "git switch --no-track --create approve-a-copy": "tests/ci/test_approval.py",
    "git add .winnow.yml .winnow/baseline.json": "tests/ci/test_approval.py",
    'git commit --message "Approve a copy"': "tests/ci/test_approval.py",
    "git push origin": "tests/ci/test_approval.py",
    "git switch topic": "tests/ci/test_approval.py",
    "git merge --no-edit origin/main": "tests/ci/test_approval.py",
    "python benchmarks/": "takes minutes, and other tools; tests/test_documentation.py checks that it is there",
    "pre-commit install": "tests/hooks/test_docs.py",
    "cp ~/src/winnow-ci/hooks/": "tests/hooks/test_docs.py",
    "winnow-ci approve --all --source jinja2": "tests/cli/test_old_repository.py",
    "ssh-keygen -Y sign": "tests/cli/test_proof.py",
    "winnow-ci verify": "tests/cli/test_proof.py",
    "gh attestation verify": "asks GitHub",
}
"""Commands that are not run, by what they begin with, and why."""

ID = re.compile(r"\b5f0c2d9a(1b3e4f60)?\b")


def first_command(line: str) -> list[str]:
    """Its words, up to what only the shell understands."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(takewhile(lambda word: not set(word) <= set("();<>|&"), lexer))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_their_options_are_there(page: Path) -> None:
    ours = [line for line in command_lines(page) if line.startswith("winnow-ci ")]
    for line in (*ours, *inline_commands(page)):
        words = first_command(line)
        if words[1] == "COMMAND":
            continue
        parser, rest = command_of(words)
        options = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert options <= set(parser._option_string_actions), line


def test_there_are_many_and_what_is_left_out_is_there() -> None:
    lines = [line for page in pages() for line in command_lines(page)]
    assert len(lines) > 80
    for beginning in NOT_RUN:
        assert any(line.startswith(beginning) for line in lines), beginning
    for page in RUN_ELSEWHERE:
        assert command_lines(ROOT / page)


# ---- a repository as a reader may have it --------------------------------------------------------------------


class Stage:
    """A repository on a branch with a copy, what lies beside it, and a shell in it."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.checkout = Checkout(folder / "repository")
        self._settings = {"HOME": str(folder / "home"), **settings}

    def run(self, line: str) -> tuple[int, str]:
        """Give a command, with the id of a finding for the one on the page; returns its status and what it says."""
        script = ID.sub(lambda _: self._id(), line)
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.checkout.root,
            env=environment(**self._settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def _id(self) -> str:
        _, said = self.run("winnow-ci scan")
        found = re.search(r"winnow-ci explain (\w+)", said)
        assert found, said
        return found[1]


def _fill(root: Path, home: Path) -> None:
    """Whatever the pages name, beside the repository and in it."""
    known = write_known(root.parent / "curl-8.1.0")
    curl = Checkout.create(home / "src" / "curl")
    curl.commit(dict(KNOWN))
    curl.git("tag", "curl-8_1_0")
    shutil.copytree(known, home / "other" / "src")
    for folder in ("old", "new", "submissions", "bundles", "templates"):
        write_known(root / folder)
    (root / "new" / "more.py").write_text(LOGS)
    write_known(root / "handout")
    for name in ("lib/heap.c", "snippet.py", "buffer"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(ROUTES)
    install(root / "node_modules" / "roads", "package.json", '{"name": "roads", "version": "1.0.0", "license": "MIT"}')
    install(home / ".cargo" / "registry" / "src" / "roads-0.1.0", "Cargo.toml", '[package]\nname = "roads"\n')
    for name, content in source("zlib", "1.3-1", ROUTES.encode()).files.items():
        (root / name).write_bytes(content)
    shutil.make_archive(str(root / "curl-8.1.0"), "xztar", known.parent, known.name)
    wheel = shutil.make_archive(str(root / "six"), "zip", known)
    Path(wheel).rename(root / "six-1.17.0-py2.py3-none-any.whl")


def install(folder: Path, description: str, text: str) -> None:
    """Write an installed package."""
    folder.mkdir(parents=True)
    for name, content in ((description, text), (".cargo-ok", ""), ("routes.py", ROUTES)):
        (folder / name).write_text(content)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stages are copied from."""
    folder = tmp_path_factory.mktemp("template")
    checkout = Checkout.create(folder / "repository")
    (folder / "home").mkdir()
    (folder / "bin").mkdir()
    programs = {"winnow-ci": f'exec {shlex.quote(sys.executable)} -m winnow_ci "$@"', "pbpaste": "cat snippet.py"}
    for name, does in programs.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / "bin" / name).chmod(0o755)
    checkout.commit({**BASE, ".gitignore": "/*.*\n/[a-r]*\n/sub*\n/temp*\n!/.winnow*\n"})
    for tag in ("v1", "v1.0"):
        checkout.git("tag", tag)
    _fill(checkout.root, folder / "home")
    stage = Stage(folder, {"PATH": f"{folder}/bin:/usr/local/bin:/usr/bin:/bin"})
    for line in (
        "echo 'index: [.winnow/index.db]' >.winnow.yml",
        "winnow-ci index add ../curl-8.1.0 --name curl --license curl --with-text",
        "cp .winnow/index.db ../known.db && cp .winnow/index.db known.db",
        "git add --force .winnow.yml .winnow && git commit --quiet --message x && git tag v2",
        "git switch --quiet --create topic",
    ):
        status, said = stage.run(line)
        assert status == 0, said
    checkout.commit(dict(CHANGE))
    return folder


@pytest.fixture
def stage(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    folder = tmp_path / "stage"
    shutil.copytree(template, folder, symlinks=True)
    with serving(None) as server, serving_npm() as registry:
        packages = PythonIndex(server, {})
        packages.use(monkeypatch)
        packages.publish("requests", "2.32.3", LOGS)
        identified = Path(identify.identify.__file__).read_text(encoding="utf-8")
        packages.publish("identify", "2.6.20", identified, "identify/identify.py")
        registry.publish("lodash", "4.17.21", packed("lodash", "4.17.21", b"var paths = 1;\n" * 20))
        (folder / "home" / ".npmrc").write_text(f"registry={registry.url}/\n")
        yield Stage(
            folder,
            {
                "PATH": f"{folder}/bin:/usr/local/bin:/usr/bin:/bin",
                "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
                "BASE": "main",
                "HEAD": "topic",
            },
        )


def _run_on_pages() -> list[Path]:
    return [page for page in pages() if command_lines(page) and str(page.relative_to(ROOT)) not in RUN_ELSEWHERE]


@pytest.mark.parametrize("page", _run_on_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_do_not_fail(page: Path, stage: Stage) -> None:
    for line in command_lines(page):
        if not line.startswith(tuple(NOT_RUN)):
            status, said = stage.run(line)
            assert status in {0, 1}, f"{line}\n{said}"
            assert "winnow-ci: error" not in said, f"{line}\n{said}"


def test_the_first_steps_lead_to_the_finding_that_the_first_page_shows(stage: Stage) -> None:
    page = ROOT / "docs" / "tutorial.md"
    install, *steps = command_lines(page)
    assert install == "pipx install ."
    assert len(steps) == 3
    (code,) = blocks(page, "python")
    (wanted,) = blocks(page, "")
    stage.checkout = Checkout.create(stage.checkout.root.parent / "empty")
    stage.checkout.commit({"README": "mine\n"})
    init, add, scan = steps
    assert [stage.run(step)[0] for step in (init, add)] == [0, 0]
    stage.checkout.write("program.py", code)
    status, said = stage.run(f"{scan} 2>/dev/null")
    assert status == 1
    # Other versions of identify have it on other lines.
    assert re.sub(r"identify\.py:\d+-\d+", "", said) == re.sub(r"identify\.py:\d+-\d+", "", wanted)
    (beginning,) = re.findall(r"`winnow-ci explain (\w+)`", page.read_text(encoding="utf-8"))
    assert stage.run(f"winnow-ci explain {beginning}")[0] == 0
    (stage.checkout.root / "program.py").unlink()
    assert stage.run(f"{scan} 2>/dev/null") == (0, "no findings\n")
