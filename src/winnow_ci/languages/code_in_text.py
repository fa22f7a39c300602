"""Find quoted code: code in text, which no front end reads.

A copy in a comment, a string, a here-document, a fence of Markdown or a script of YAML is a copy, and a change of two
lines can make it code later. So ``passages`` of text that look like code are read as code:

1. Lines that hold marks of code (``CODE_MARKS``) for which there are no tokens show whether and where to look;
   ``text_lines`` gives the text.
2. Passages are read in each of the families that known code is in. If that is too much (``SMALL_QUOTATION``), only in
   the ``MOST_QUOTED_FAMILIES`` whose keywords they have most of. Text in such code is read once more (``_DEPTH``).
3. What is still text then is read as if nothing opened any, so that no number of marks around code hides it.

For code that is pasted from a related language, the whole file is read in each of ``_RELATED`` that known code is in.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer
from winnow_ci.languages.families import FAMILIES, FAMILY_OF, LexemeRule
from winnow_ci.languages.language_detection import DATA, DATA_SIZES, TEXT_AS_A_WHOLE
from winnow_ci.languages.normalisation import is_binary, normalise
from winnow_ci.languages.table_tokenizer import family_tokens
from winnow_ci.languages.text_lines import guests, text_lines, text_lines_of_family
from winnow_ci.languages.tokens import WORD_SKETCH, TextLine, Untokenizable, with_lines
from winnow_ci.languages.words import FALLBACK, fallback_tokens, without_known_texts
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import I32, Tokens

CODE_MARKS = b"()[]{};="
PASSAGE_LINES = 8
LEAST_MARKS = 10
FEWER_MARKS = 4
# ``===`` is one token.
_CODE_MARK = compiled_on_use(rb"[()\[\]{};]|=+")

MOST_QUOTED_FAMILIES = 8
SMALL_QUOTATION = 1 << 20  # bytes read, in all families; of longer code, ``MOST_QUOTED_FAMILIES`` must do
_FAMILIES_OF_UNKNOWN = 4  # that files of no known language are read in: a scan of everything has many, and few are code
_SMALL_AS_A_WHOLE = 1 << 18  # the same for what Pygments reads: all its text is read, not only comments and strings
MOST_QUOTED_TEXT = 4 << 20  # bytes of a document's passages that are read
_DEPTH = 2
_LEAST_KEYWORDS = 3  # different keywords of a family that quoted code in it has
_FEW_KEYWORDS = 20  # with fewer, as in style sheets, code need not have any

_RELATED = frozenset(("csharp", "groovy", "java", "kotlin", "scala"))  # alike, though no two share tokens

# Their tokens do not tell text from code.
_MIXED = TEXT_AS_A_WHOLE.union(
    markup_tokenizer.LANGUAGES,
    [notebook_tokenizer.LANGUAGE],
    *(family.languages for family in FAMILIES if family.begins_as_text),
)
_BY_NAME = {family.name: family for family in reversed(FAMILIES)}
_WORD = compiled_on_use(rb"[A-Za-z_][A-Za-z_0-9]*")


class QuotedCode(NamedTuple):
    """Quoted code of a document in one family."""

    family: str  # the name of the front end that read it
    tokens: Tokens  # with the lines of the document


def quoted_code(
    language: str, text: bytes, tokens: Tokens, families: AbstractSet[str], wanted: NDArray[np.bool_]
) -> tuple[list[QuotedCode], int]:
    """Return the quoted code of a normalised text in some families, and how many lines of it could not be read.

    Passages without any line that is ``wanted`` (bool, one a line) are left out.
    """
    related = list(_as_related(language, text, families)) if wanted.any() else []
    near = passages(_hidden_marks(text, tokens, language), wanted)
    if not near.any():
        return related, 0
    try:
        lines = list(text_lines(language, text, near))
    except Untokenizable:
        # The lexer took longer than it did for the file's own tokens.
        return related, int(near.sum())
    found = _in_passages(lines, wanted)
    most = int(np.searchsorted(np.cumsum([len(line.text) for line in found]), MOST_QUOTED_TEXT, "right"))
    return [*related, *_read(found[:most], families, wanted, language)], len(found) - most


def may_quote(content: bytes) -> bool:
    """Whether a file of no known language has a passage that looks like code; not if it is binary or very long."""
    has_marks = len(content.translate(None, CODE_MARKS)) < len(content)
    if not has_marks or len(content) >= DATA_SIZES.stop or is_binary(content):
        return False
    try:
        marks = code_marks(normalise(content))
    except Untokenizable:
        return False
    return bool(passages(marks, np.ones(len(marks), np.bool_)).any())


def _as_related(language: str, text: bytes, families: AbstractSet[str]) -> Iterator[QuotedCode]:
    own = FAMILY_OF[language].name if language in FAMILY_OF else ""
    for name in sorted(_RELATED & families - {own}) if own in _RELATED else ():
        yield QuotedCode(name, family_tokens(text, _BY_NAME[name]))


def _in_passages(lines: Sequence[TextLine], wanted: NDArray[np.bool_]) -> list[TextLine]:
    """The lines of text that look like code, without the passages that have no line that is wanted."""
    marks = np.array([len(line.text) - len(line.text.translate(None, CODE_MARKS)) for line in lines], np.int64)
    here = np.array([line.line for line in lines], np.int64) - 1
    inside = passages(marks, wanted[here])
    return [line for line, is_inside in zip(lines, inside.tolist(), strict=True) if is_inside]


def _read(
    lines: Sequence[TextLine], families: AbstractSet[str], wanted: NDArray[np.bool_], language: str
) -> Iterator[QuotedCode]:
    code = without_known_texts(b"\n".join(line.text for line in lines))
    numbers = np.array([line.line for line in lines], np.int32)
    small = SMALL_QUOTATION if language in FAMILY_OF or language in _MIXED else _SMALL_AS_A_WHOLE
    most = _FAMILIES_OF_UNKNOWN if language == DATA else max(MOST_QUOTED_FAMILIES, small // max(1, len(code)))
    for family in _likeliest(code, families)[:most]:
        yield from _read_as(family, code, numbers, wanted, _DEPTH)
    if FALLBACK in families and lines:
        yield QuotedCode(FALLBACK, with_lines(fallback_tokens(code), numbers))


def _read_as(
    family: LanguageFamily, code: bytes, numbers: I32, wanted: NDArray[np.bool_], depth: int
) -> Iterator[QuotedCode]:
    tokens = family_tokens(code, family)
    yield QuotedCode(family.name, with_lines(tokens, numbers))
    inner = list(_inner(family, code, tokens, numbers, wanted)) if depth else []
    if found := _in_passages(inner, wanted):
        code, numbers = b"\n".join(line.text for line in found), np.array([line.line for line in found], np.int32)
        yield from _read_as(family if depth > 1 else _without_text(family), code, numbers, wanted, depth - 1)


def _inner(
    family: LanguageFamily, code: bytes, tokens: Tokens, numbers: I32, wanted: NDArray[np.bool_]
) -> Iterator[TextLine]:
    near = passages(_hidden_marks(code, tokens, family.languages[0]), wanted[numbers - 1])
    if near.any():
        for line, text in text_lines_of_family(family, code, near):
            yield TextLine(int(numbers[line - 1]), text)


@lru_cache
def _without_text(family: LanguageFamily) -> LanguageFamily:
    """The family without comments and strings of several lines: what opens one is a mark."""
    openers = (*family.comment_openers(), *(opener for span in family.spans for opener in span.openers))
    marks = tuple(LexemeRule("mark", opener, starts=opener) for opener in dict.fromkeys(openers))
    rules = tuple(rule for rule in family.rules if rule.kind != "comment")
    return family._replace(line_comment=b"", spans=(), rules=(*marks, *rules), begins_as_text=b"", care=None)


def _hidden_marks(text: bytes, tokens: Tokens, language: str) -> NDArray[np.int64]:
    """How many marks of code each line has beyond its tokens: int64, one a line."""
    marks = code_marks(text)
    if language in _MIXED or language not in FAMILY_OF:
        return marks
    read: NDArray[np.int64] = np.bincount(
        tokens.first_lines[tokens.sketch < WORD_SKETCH.stop] - 1, minlength=len(marks)
    )
    read[[line.line - 1 for line in guests(FAMILY_OF[language], text)]] = 0
    return np.asarray(np.maximum(marks - read, 0), np.int64)


def _likeliest(code: bytes, families: AbstractSet[str]) -> list[LanguageFamily]:
    words, worth = set(_WORD.findall(code)), _worth()
    # Nobody writes code without any keyword, in a language that has them.
    likely = {
        family.name: fsum(worth[word] for word in shared)
        for family in _BY_NAME.values()
        if family.name in families
        and (len(shared := family.keywords & words) >= _LEAST_KEYWORDS or len(family.keywords) < _FEW_KEYWORDS)
    }
    return [_BY_NAME[name] for name in sorted(likely, key=lambda name: -likely[name])]


@lru_cache
def _worth() -> dict[bytes, float]:
    """How much a keyword says: less the more families have it."""
    families = Counter(word for family in FAMILIES for word in family.keywords)
    return {word: 1 / count for word, count in families.items()}


def code_marks(text: bytes) -> NDArray[np.int64]:
    """Count the marks of code on each line: int64, one a line."""
    if native := kernel():
        return np.asarray(native.code_marks(text))
    return np.array([len(_CODE_MARK.findall(line)) for line in text.split(b"\n")], np.int64)


def passages(marks: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the lines of passages that have a line that is wanted: bool, one a line.

    Passages are runs of lines that look like code: with ``LEAST_MARKS`` marks on ``PASSAGE_LINES`` lines somewhere, and
    ``FEWER_MARKS`` on any such number of their lines. Of 100 windows of that size, 84 of JavaScript, 76 of Python and
    71 of Go have ``LEAST_MARKS`` marks; of the comments and strings in the same files, 6.5, 2.4 and 1.3.
    """
    if native := kernel():
        return np.asarray(native.passages(marks, wanted, (PASSAGE_LINES, LEAST_MARKS, FEWER_MARKS)))
    inside, dense = _near_marks(marks, FEWER_MARKS), _near_marks(marks, LEAST_MARKS)
    start = 0
    for is_inside, run in groupby(inside.tolist()):
        end = start + len(list(run))
        inside[start:end] = is_inside and dense[start:end].any() and wanted[start:end].any()
        start = end
    return inside


def _near_marks(marks: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
    """Mark the lines that are among ``PASSAGE_LINES`` lines with enough marks: bool, one a line."""
    found, counts = np.zeros(len(marks), np.bool_), marks.tolist()
    for start in range(max(1, len(counts) - PASSAGE_LINES + 1)):
        if sum(counts[start : start + PASSAGE_LINES]) >= least:
            found[start : start + PASSAGE_LINES] = True
    return found
