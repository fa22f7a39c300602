"""Find where JavaScript could be misread."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from winnow_ci.languages.families.javascript_reading import BEFORE_EXPRESSION, STATEMENT_HEADS, JavaScriptReading
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.languages.families.careful_reading import CarefulReader

_PLAIN = rb"[^`\"'/{}]*"
# Strings, and the text between two slashes on a line, whether they divide or not.
_QUOTED = rb"(?:\"[^\"`\\\n]*\"|'[^'`\\\n]*'|/[^/*`\"'{}\\\n][^/`\"'{}\\\n]*/)"


# A template whose substitutions hold nothing but names, marks and what is put in.
_TEMPLATE = rb"`[^$`\\]*(?:(?:\\[\s\S]|\$(?!\{)|\$\{%b(?:(?:%b)%b){0,99}\})[^$`\\]*){0,4095}`"
_OF_QUOTED = _TEMPLATE % (_PLAIN, _QUOTED, _PLAIN)
PLAIN_TEMPLATE = compiled_on_use(_OF_QUOTED)
TEMPLATE_WITH_TEMPLATES = compiled_on_use(
    _TEMPLATE % (_PLAIN, b"|".join([_QUOTED, _OF_QUOTED, rb"\{%b\}" % _PLAIN]), _PLAIN)
)
_BLANKS = rb"[\t-\r ]*"
_ENDS_WITH = rb"(?![\s\S]*%b" + _BLANKS + rb"\Z)"
# A slash that opens no comment, a tag in a comment, a template with a tag or more than plain names in it, two dashes,
# and a string that does not end.
_DOUBTFUL = (
    rb"/(?![/*])|/[/*][\s\S]*?</",
    rb"(?=`)(?:(?!%b%b\Z)|[\s\S]*?(?:<[/\w>]|(?<!\$)\{))" % (_OF_QUOTED, _BLANKS),
    rb"--%b\Z" % _BLANKS,
    *(quote + _ENDS_WITH % quote for quote in (b'"', b"'")),
)
JS_MARKED = compiled_on_use(_BLANKS + b"(?:%b)" % b"|".join(_DOUBTFUL))
OPENS_LINES = compiled_on_use(rb"`|/\*|\\\n")
LONG_LINE = 1000
NEAR_HEAD = 100
_BEFORE_HEAD = STATEMENT_HEADS | {b"await"}
"""The words before the parenthesis of a head: ``for await (...)``."""
JS_OPERAND = compiled_on_use(rb"[\w$\x80-\xff\"'`\]]\Z")
JS_MARK = compiled_on_use(rb"[(,=:\[!&|?{;+<>*%^~-]\Z")
TAG_BEGINS = compiled_on_use(rb"[A-Za-z_$>]")
BEFORE_TAG = frozenset(b"( , = : [ && || ?? ? { } ; > => return default".split())


class JavaScript:
    """The ``Care`` that JavaScript needs."""

    def is_marked(self, piece: bytes) -> bool:
        """Whether a piece may be misread, or may be what others are misread for."""
        return JS_MARKED.match(piece) is not None

    def is_doubtful(self, pieces: Sequence[bytes], marked: Sequence[int]) -> bool:
        """Whether a text may have to be cut otherwise, given its pieces and the places of the marked ones."""
        slashes, templates, may_have_text = [], [], False
        for place in marked:
            token = pieces[place].strip()
            if token[:1] == b"/" and token[1:2] not in (b"/", b"*"):
                if not _is_certain(pieces, place, token):
                    slashes.append(place)
            elif token == b"--":
                if pieces[place + 1 : place + 2] == [b">"]:
                    return True
            elif token[:1] == b"`" and not PLAIN_TEMPLATE.fullmatch(token):
                templates.append(place)
            else:
                may_have_text = True
        if may_have_text and _has_element(pieces):
            return True
        return bool(slashes or templates) and _may_be_misread(pieces, slashes, templates)

    def reading(self, reader: CarefulReader) -> JavaScriptReading:
        """Begin to read a text."""
        return JavaScriptReading(reader)


def _is_certain(pieces: Sequence[bytes], place: int, token: bytes) -> bool:
    """Whether a slash was read as it has to be, whatever encloses it."""
    is_regex = len(token) > 1 and token != b"/="
    before = _before(pieces, place)
    last = pieces[before].strip() if before >= 0 else b""
    if last in BEFORE_EXPRESSION:
        return is_regex and pieces[_before(pieces, before)].strip() not in (b".", b"?.")
    if is_regex:
        return JS_MARK.search(last) is not None and last not in (b"++", b"--", b"!")
    if last == b")":
        return _closes_operand(pieces, before)
    return JS_OPERAND.search(last) is not None and last != b"of"


def _closes_operand(pieces: Sequence[bytes], place: int) -> bool:
    """Whether a parenthesis that begins nearby does not end the head of a statement."""
    depth = 0
    for near in range(place, max(-1, place - NEAR_HEAD), -1):
        depth += (pieces[near] == b")") - (pieces[near] == b"(")
        if depth == 0:
            return pieces[_before(pieces, near)].strip() not in _BEFORE_HEAD
    return False


def _before(pieces: Sequence[bytes], place: int) -> int:
    while place > 0:
        place -= 1
        token = pieces[place].strip()
        if token and not token.startswith((b"//", b"/*", b"<!--")):
            return place
    return -1


def _may_be_misread(pieces: Sequence[bytes], slashes: Sequence[int], templates: Sequence[int]) -> bool:
    starts = list(accumulate(map(len, pieces), initial=0))
    text = b"".join(pieces)
    if any(_opens_lines(text, text.find(b"/", starts[place])) for place in slashes):
        return True
    if templates:
        ends = set(starts)
        wholes = (TEMPLATE_WITH_TEMPLATES.match(text, starts[place]) for place in templates)
        return not all(whole and whole.end() in ends for whole in wholes)
    return False


def _opens_lines(text: bytes, slash: int) -> bool:
    """Whether something that may span lines follows a slash on its line; on a long one, whatever follows."""
    end = text.find(b"\n", slash, slash + LONG_LINE)
    far = slash + LONG_LINE
    return (end < 0 and far < len(text)) or OPENS_LINES.search(text, slash, end + 1 if end >= 0 else far) is not None


def _has_element(pieces: Sequence[bytes]) -> bool:
    return any(
        piece == b"<" and TAG_BEGINS.match(after) and pieces[_before(pieces, place)].strip() in BEFORE_TAG
        for place, (piece, after) in enumerate(pairwise(pieces))
    )
