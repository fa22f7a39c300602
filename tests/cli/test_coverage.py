"""A scan says what it has looked at; what it could not look at is never clean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from support.command import build, winnow
from support.donor import CHANGE, INNOCENT
from support.slow import EXPONENTIAL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.repository import Checkout

LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "0" + "\nsize 9\n"


def skipped(report: dict[str, Any], state: str) -> dict[str, str]:
    """Path → reason."""
    return {skip["path"]: skip["reason"] for skip in report["scan"]["files_skipped"] if skip["state"] == state}


# ---- could not be scanned --------------------------------------------------------------------------------------


def _pointer(checkout: Checkout) -> None:
    checkout.write("bad.py", LFS_POINTER)


def _binary(checkout: Checkout) -> None:
    checkout.write("bad.c", CHANGE["src/plan.py"].replace(" ", "\0 "))


def _too_large(checkout: Checkout) -> None:
    os.truncate(checkout.write("bad.c", "int x;\n"), 70 << 20)


def _in_conflict(checkout: Checkout) -> None:
    sides = {stage: checkout.blob(f"side = {stage}\n") for stage in (1, 2, 3)}
    entries = "".join(f"100644 {side} {stage}\tbad.py\n" for stage, side in sides.items())
    checkout.git("update-index", "--index-info", stdin=entries.encode())


UNSCANNABLE = [
    (_pointer, "bad.py", "Git LFS pointer: content not fetched"),
    (_binary, "bad.c", "binary content"),
    (_too_large, "bad.c", "larger than 64 MiB"),
    (_in_conflict, "bad.py", "unresolved conflict"),
]


@pytest.mark.parametrize(("prepare", "path", "reason"), UNSCANNABLE)
def test_what_cannot_be_scanned_fails_the_scan(
    checkout: Checkout, known: Path, prepare: Callable[[Checkout], None], path: str, reason: str
) -> None:
    checkout.write("src/greetings.py", INNOCENT)
    prepare(checkout)
    ended = winnow("scan", "--index", known, "--format", "json", "--exit-zero", cwd=checkout.root)
    report = ended.report()
    assert (ended.status, report["findings"], report["scan"]["complete"]) == (3, [], False)
    (found,) = skipped(report, "not-scanned").items()
    assert found[0] == path
    assert found[1].startswith(reason)
    assert f"not scanned: {path}: {reason}" in ended.errors
    assert "1 NOT scanned" in ended.errors
    assert report["scan"]["files_scanned"] == 1


def test_pointers_to_models_and_assets_are_out_of_scope(checkout: Checkout, known: Path) -> None:
    """Their names say of no language that it is in them; of a header, which may be C, or of text, they do."""
    for name in ("weights.safetensors", "scene.blend", "assets/model", "bad.h", "bad.txt"):
        checkout.write(name, LFS_POINTER)
    report = winnow("scan", "--index", known, "--format", "json", cwd=checkout.root).report()
    assert skipped(report, "out-of-scope").keys() == {"weights.safetensors", "scene.blend", "assets/model"}
    assert skipped(report, "not-scanned").keys() == {"bad.h", "bad.txt"}


def test_findings_beside_what_cannot_be_scanned(copied: Checkout, known: Path) -> None:
    _pointer(copied)
    _too_large(copied)
    ended = winnow("scan", "--index", known, "--format", "json", cwd=copied.root)
    assert (ended.status, ended.report()["scan"]["complete"]) == (1, False)
    assert [finding["path"] for finding in ended.findings()] == ["src/bookings.py", "src/plan.py"]
    forgiven = winnow("scan", "--index", known, "--exit-zero", cwd=copied.root)
    assert forgiven.status == 3
    assert "not scanned: 2 files\n  bad.c: larger than 64 MiB\n  bad.py: Git LFS pointer" in forgiven.output
    assert forgiven.output.endswith("\nincomplete: 2 files not scanned; in the others 2 findings (2 errors)\n")


def test_many_files_that_cannot_be_scanned_are_counted(checkout: Checkout, known: Path) -> None:
    for number in range(25):
        checkout.write(f"bad{number:02}.py", LFS_POINTER)
    ended = winnow("scan", "--index", known, cwd=checkout.root)
    assert ended.status == 3
    assert "25 NOT scanned" in ended.errors
    assert ended.errors.endswith("not scanned: and 15 more\n")
    assert "bad24.py" in ended.output


# ---- read by the fallback tokenizer ----------------------------------------------------------------------------


def test_what_a_lexer_does_not_get_through_is_scanned_and_said(checkout: Checkout, known: Path) -> None:
    checkout.write("slow.chpl", EXPONENTIAL)
    ended = winnow("scan", "--index", known, "--format", "json", cwd=checkout.root)
    told = ended.report()["scan"]
    assert (ended.status, told["files_scanned"], told["complete"], told["files_skipped"]) == (0, 1, True, [])
    assert told["files_fallback"] == [{"path": "slow.chpl", "reason": "not lexed within 2 s"}]
    said = "winnow-ci: 1 file read by the fallback tokenizer: slow.chpl (not lexed within 2 s)\n"
    assert ended.errors.endswith(f"1 file scanned, 0 skipped\n{said}")
    explained = winnow("explain", "--skipped", "--index", known, cwd=checkout.root)
    assert explained.output.startswith("read by the fallback tokenizer: 1 file\n\nnot lexed within 2 s: 1 file\n")
    assert explained.output.endswith("\n    slow.chpl\n")


def test_a_build_says_what_the_fallback_tokenizer_read(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "slow.chpl").write_bytes(b"var a = b + 1;\n" * 30 + EXPONENTIAL)
    built = build(tmp_path / "source", tmp_path / "i.db")
    assert "1 file indexed (0 with contents known before), 0 skipped\n" in built.errors
    assert "1 file read by the fallback tokenizer: slow.chpl (not lexed within 2 s)\n" in built.errors
    listed = winnow("index", "list", "i.db", cwd=tmp_path).output.splitlines()[1].split()
    assert listed[4] == "1"


# ---- out of scope ----------------------------------------------------------------------------------------------


def test_what_is_out_of_scope_is_listed_with_the_rule(checkout: Checkout, known: Path) -> None:
    copy = CHANGE["src/plan.py"]
    for path in ("package-lock.json", "logo.png"):
        checkout.write(path, copy)
    checkout.write("LICENSE", "Permission is hereby granted, free of charge.\n")
    checkout.write("notes.xyz", "Words of no known language.\n" * 30)
    (checkout.root / "link.py").symlink_to("/etc/hostname")
    checkout.git("add", "--all")
    checkout.stage_id(b"module", checkout.git("rev-parse", "HEAD"), "160000")
    ended = winnow("scan", "--staged", "--index", known, "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.report()["scan"]["complete"]) == (0, True)
    assert skipped(ended.report(), "out-of-scope") == {
        "LICENSE": "licence text",
        "link.py": "symbolic link",
        "logo.png": "unknown language",
        "module": "submodule",
        "notes.xyz": "unknown language",
        "package-lock.json": "data",
    }
    counts = "2 unknown language, 1 data, 1 licence text, 1 submodule, 1 symbolic link"
    assert ended.errors.endswith(f": 0 files scanned, 6 skipped ({counts})\n")
