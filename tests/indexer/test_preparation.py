"""What becomes of each file of a corpus on its way into an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.donor import LOGS, ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.indexer.preparation import NOT_WANTED, FilePreparation, FingerprintedFile, skip_without_content
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.model import Parameters, Skipped
from winnow_ci.start_up import replace


def file(path: str, text: str | bytes) -> CorpusFile:
    content = text if isinstance(text, bytes) else text.encode()
    return CorpusFile(path, Path("nowhere"), len(content), content)


def prepared(preparation: FilePreparation, *files: CorpusFile) -> tuple[list[FingerprintedFile | Skipped], int, int]:
    """The outcomes, and how many contents and texts there are to store."""
    batch = preparation(files)
    return batch.outcomes, len(batch.contents.rows), len(batch.texts)


def preparation(*, texts: bool = False, boilerplate: bool = False) -> FilePreparation:
    return FilePreparation(Parameters(), set(), set() if texts else None, boilerplate)


@pytest.mark.parametrize(
    ("path", "text", "reason", "state"),
    [
        ("COPYING", "some licence", "licence text", "out-of-scope"),
        ("data.csv", "a,b\n", "data", "out-of-scope"),
        ("unknown.xyzzy", "some words\n", "unknown language", "out-of-scope"),
        ("inner.xyzzy", b"PK\x03\x04" + bytes(30), "an archive inside it", "out-of-scope"),
        ("short.py", "a = 1\n", "fewer than 16 tokens", "out-of-scope"),
    ],
)
def test_why_a_file_has_no_fingerprints(path: str, text: str | bytes, reason: str, state: str) -> None:
    outcomes, contents, _ = prepared(preparation(), file(path, text))
    assert (outcomes, contents) == ([Skipped(path, reason, state)], 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "is_read"), [(LARGEST_FILE, True), (LARGEST_FILE + 1, False)])
def test_how_large_a_file_may_be(size: int, is_read: bool) -> None:
    skip = skip_without_content(CorpusFile("a.py", Path("nowhere"), size))
    assert skip == (None if is_read else Skipped("a.py", "larger than 64 MiB", "not-scanned"))


def test_what_the_manifest_leaves_out_is_out_of_scope_and_what_cannot_be_read_is_not() -> None:
    left_out = replace(file("a.py", ROUTES), reason=NOT_WANTED)
    unreadable = replace(left_out, reason="encrypted")
    assert skip_without_content(left_out) == Skipped("a.py", NOT_WANTED, "out-of-scope")
    assert skip_without_content(unreadable) == Skipped("a.py", "encrypted", "not-scanned")


def test_a_licence_is_read_from_what_has_no_code() -> None:
    batch = preparation()([file("COPYING", "Permission is hereby granted, free of charge"), file("a.py", ROUTES)])
    assert [claims is not None for claims in batch.sayings] == [True, False]


def test_a_content_is_stored_once() -> None:
    some = preparation()
    outcomes, contents, _ = prepared(some, file("a.py", ROUTES), file("b.py", ROUTES), file("c.py", LOGS))
    first, second, third = outcomes
    assert isinstance(first, FingerprintedFile)
    assert first == second != third
    assert contents == 2
    # Nor is it in the next batch.
    assert prepared(some, file("d.py", ROUTES)) == ([first], 0, 0)


def test_the_same_content_in_another_language_is_another() -> None:
    outcomes, contents, _ = prepared(preparation(), file("a.py", ROUTES), file("a.rb", ROUTES))
    assert outcomes[0] != outcomes[1]
    assert contents == 2


def test_a_text_is_kept_once_also_of_a_content_that_was_known() -> None:
    some = preparation(texts=True)
    assert prepared(some, file("a.py", ROUTES), file("b.py", ROUTES))[1:] == (1, 1)
    known = FilePreparation(Parameters(), some.known, set())
    assert prepared(known, file("a.py", ROUTES))[1:] == (0, 1)


def test_boilerplate_is_kept_apart_and_whole() -> None:
    common, dense = preparation()([file("a.py", ROUTES)]), preparation(boilerplate=True)([file("a.py", ROUTES)])
    assert common.outcomes != dense.outcomes
    assert len(dense.contents.postings) > 2 * len(common.contents.postings)
