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
