"""Notebooks: the code of their cells, whatever the order of the keys."""

from __future__ import annotations

import json

import numpy as np
import pytest

from support.quotations import notebook
from winnow_ci.languages import Untokenizable, comments, language_of, normalise, tokenize
from winnow_ci.languages.notebook_tokenizer import parsed

CODE = "def a(b):\n    return [b, 1]\n"


def test_code_has_the_tokens_that_it_has_in_a_module_and_the_lines_of_the_file() -> None:
    text = notebook((CODE, "code"))
    own, there = tokenize("notebook", text.encode()), tokenize("python", CODE.encode())
    assert np.array_equal(own.verbatim, there.verbatim)
    assert {text.splitlines()[line - 1].strip() for line in own.first_lines.tolist()} == {
        '"def a(b):\\n",',
        '"    return [b, 1]\\n"',
    }


def test_outputs_and_metadata_are_no_code() -> None:
    cell = {
        "metadata": {"source": "no(1)", "cell_type": "markdown"},
        "outputs": [{"source": ["no(2)"], "text": 'a "source": no(3)'}],
        "source": "yes(1)\nyes(2)",
        "cell_type": "code",
    }
    content = json.dumps({"metadata": {"source": "no(4)"}, "cells": [cell, {**cell, "cell_type": "raw"}]})
    code, prose = parsed(content.encode())[1:]
    assert [line.text for line in code] == [line.text for line in prose] == [b"yes(1)", b"yes(2)"]


@pytest.mark.parametrize(("language", "is_text"), [("java", True), ("rust", True), ("python", False), ("R", False)])
def test_cells_of_a_kernel_that_no_family_is_known_for_are_text_as_well(language: str, is_text: bool) -> None:
    cell = {"cell_type": "code", "source": "f(x);", "metadata": {}, "outputs": []}
    content = json.dumps({"cells": [cell], "metadata": {"kernelspec": {"language": language}}})
    _, code, prose = parsed(content.encode())
    assert (len(code), len(prose)) == (1, int(is_text))


@pytest.mark.parametrize(
    ("metadata", "family"),
    [
        ({}, "python"),
        ({"kernelspec": {"language": "julia"}}, "julia"),
        ({"language_info": {"name": "R"}}, "r"),
        ({"language_info": {"name": "of nobody"}}, "python"),
    ],
)
def test_the_language_is_that_of_the_kernel(metadata: dict[str, object], family: str) -> None:
    assert parsed(json.dumps({"cells": [], "metadata": metadata}).encode()).family.name == family


SOURCE = "# \N{SNOWMAN} one\ndef a(b):\n    return [b, 'ten\\n']\n\nx = a(1)\n"
PIECES: dict[str, object] = {
    "one string": SOURCE,
    "lines": SOURCE.splitlines(keepends=True),
    "characters": list(SOURCE),
    "sevens": [SOURCE[at : at + 7] for at in range(0, len(SOURCE), 7)],
    "several lines at once": [SOURCE[:30], SOURCE[30:]],
    "empty pieces": ["", SOURCE[:9], "", "", SOURCE[9:], ""],
}


def cell_of(key: str, source: object) -> dict[str, object]:
    return {"cell_type": "code", "language": "python", key: source, "outputs": [], "metadata": {"input": "no(1)"}}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("source", PIECES.values(), ids=PIECES)
@pytest.mark.parametrize("form", ["1", "2", "3", "4", "4 with worksheets"])
def test_code_is_found_in_every_format_however_it_is_cut(form: str, source: object, indent: int | None) -> None:
    document: dict[str, object] = {"nbformat": form, "metadata": {"name": ""}}
    if form in "14":
        document["cells"] = [cell_of("code" if form == "1" else "source", source)]
    else:
        document |= {"cells": []} if "with" in form else {}
        document["worksheets"] = [{"cells": []}, {"cells": [cell_of("source" if "with" in form else "input", source)]}]
    text = json.dumps(document, indent=indent)
    found = tokenize("notebook", text.encode())
    assert np.array_equal(found.verbatim, tokenize("python", SOURCE.encode()).verbatim)
    assert (found.first_lines <= found.last_lines).all()


def test_a_token_touches_every_piece_that_its_line_is_cut_into() -> None:
    text = json.dumps({"cells": [cell_of("source", ["a", " = ", "b\nc = 1"])]}, indent=1)
    place = text.splitlines().index('    "a",') + 1
    found = tokenize("notebook", text.encode())
    assert set(zip(found.first_lines[:3].tolist(), found.last_lines[:3].tolist(), strict=True)) == {(place, place + 2)}
    assert set(found.first_lines[3:].tolist()) == {place + 2}


@pytest.mark.parametrize(
    "text",
    [
        '{"cells": [{"cell_type": "code", "source": "no(1)", "source": ["yes(1)"]}]}',
        '{"cells": [{"cell_type": "raw", "source": ["no(1)"]}], "cells": [{"source": "yes(1)"}]}',
        '{"cells": [{"cell_type": "markdown", "source": "yes(1)", "cell_type": "code"}]}',
        '{"cells": [{"\\u0063ell_type": "code", "so\\u0075rce": "\\u0079es(1)"}]}',
        '{"cells": [{"cell_type": "code", "source": "", "source": "\'\'\'", "source": "yes(1)"}], "nbformat": 99}',
    ],
)
def test_json_is_read_as_jupyter_reads_it(text: str) -> None:
    assert tokenize("notebook", text.encode()).verbatim.tolist() == tokenize("python", b"yes(1)").verbatim.tolist()


@pytest.mark.parametrize("source", ["%%bash\nls", ["%", "%bash\n", "ls"], ["\n", " %%html\n", "<p>"]])
def test_a_cell_with_a_magic_word_is_text(source: object) -> None:
    _, code, prose = parsed(json.dumps({"cells": [cell_of("source", source)]}).encode())
    assert not code
    assert prose


@pytest.mark.parametrize(
    "text",
    [
        '{"notebook": {"cells": [{"cell_type": "code", "source": "a(1)"}]}}',
        '{"cells": [{"cell_type": "code", "contents": "a(1)"}]}',
        '{"worksheets": [{"cells": [{"cell_type": "code", "body": ["a(1)"]}]}]}',
        '{"metadata": {}, "sheets": []}',
        '[{"cell_type": "code", "source": "a(1)"}]',
    ],
)
def test_a_notebook_of_an_unknown_format_is_not_scanned(text: str) -> None:
    with pytest.raises(Untokenizable, match="unknown format") as raised:
        tokenize("notebook", text.encode())
    assert raised.value.state == "not-scanned"


@pytest.mark.parametrize("text", ["", "\n", '{"cells": [], "metadata": {}, "nbformat": 4}', '{"worksheets": []}'])
def test_an_empty_notebook_has_no_code(text: str) -> None:
    assert len(tokenize("notebook", text.encode())) == 0


@pytest.mark.parametrize("text", ['{"cells": [{"source": "a', "]", "}", "[" * 1000, '{"a": "\\x"}'])
def test_what_is_no_json_is_not_scanned(text: str) -> None:
    with pytest.raises(Untokenizable) as raised:
        tokenize("notebook", text.encode())
    assert raised.value.state == "not-scanned"


@pytest.mark.parametrize(
    "text", ["", "1", "[]", '{"cells": 1}', '{"cells": [1, {"source": {"a": ["b"]}}]}', '"a"', ","]
)
def test_other_json_has_no_code_or_is_refused(text: str) -> None:
    try:
        found = len(tokenize("notebook", normalise(text.encode())))
    except Untokenizable:
        return
    assert found <= 1


def test_comments_have_the_lines_of_the_file() -> None:
    text = notebook(("x = 1\n# winnow-ci: one\n# two\ny = '# three'\n", "code"))
    (first, second) = comments("notebook", text.encode())
    assert [text.splitlines()[comment.line - 1].strip() for comment in (first, second)] == [
        '"# winnow-ci: one\\n",',
        '"# two\\n",',
    ]
    assert (first.first, first.last) == (second.first, second.last) == (first.line, second.line)


def test_notebooks_are_known_by_their_ending() -> None:
    assert language_of("a/b.ipynb", b"") == "notebook"
