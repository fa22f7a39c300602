"""What a slash, a backtick and a smaller-than sign mean in JavaScript: they depend on the tokens before.

A slash divides after an operand, and begins a regular expression elsewhere (ECMA-262, 12.1: the goal symbols
InputElementDiv and InputElementRegExp). So brackets are followed, and what they enclose: a block, an object, the head
of a statement. A template ends after the code in it; in the text of an element (JSX) nothing is a mark but ``<`` and
``{``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from winnow_ci.languages.families.careful_reading import CarefulReader, doubtful_places
from winnow_ci.start_up import compiled_on_use, record

JS_DEEPEST_TEMPLATE = 30
_CLASS = rb"\[[^\]\\\n\0]*(?:\\[^\n\0][^\]\\\n\0]*){0,65535}\]"
JS_REGEX = compiled_on_use(rb"/(?![/*])[^/\\\[\n\0]*(?:(?:\\[^\n\0]|%b)[^/\\\[\n\0]*){0,65535}/[a-z]*" % _CLASS)
JS_NAME = compiled_on_use(rb"[A-Za-z_$\\\x80-\xff][\w$\\{}\x80-\xff]*\Z")
JS_ELEMENT = compiled_on_use(
    rb"<[\x01-\x20]*(?:([A-Za-z_$][\w$.:-]*)[\x01-\x20]*(?!extends\b)(?=[>/<{A-Za-z_$])|(?=>))"
)
JS_WORD = compiled_on_use(rb"[\w\x80-\xff]+|[\x01-\x20\x7f]+|[\s\S]")
JS_TEMPLATE_MARK = compiled_on_use(rb"\\[\s\S]|\$\{|[`\0]")
JS_BEFORE_EXPRESSION = frozenset(
    b"await case delete do else extends in instanceof new return throw typeof void yield".split()
)
_SPAN_OPENERS = (b"`", b"/*")
JS_STATEMENT_HEADS = frozenset(b"for if while with".split())
JS_BODIES = frozenset(b"class function".split())
JS_BEFORE_STATEMENT = frozenset((b"", b";", b"else", b"do", b"try", b"finally", b"=>"))


@record(slots=True, eq=False, repr=False)
class _Frame:
    """Something open."""

    opener: bytes  # ``(``, ``[``, ``{``, ``tag``, or ``children`` of an element
    divides: bool = True  # whether a slash after its end divides
    is_block: bool = False  # whether it encloses statements
    pending: bool = False  # whether the body that follows its end is that of an expression
    inside: int = 0  # questions that wait for their colon, or smaller-than signs that wait for their end
    closes: bool = False  # whether it is a closing tag


class JavaScriptReading:
    """Follows one text, or the code within a template of it."""

    def __init__(self, reader: CarefulReader, depth: int = 0) -> None:
        self._reader = reader
        self._text = reader.text
        self._depth = depth
        self.frames: list[_Frame] = []
        self._divides = False
        self._last = b""
        self._begins_line = True
        self._begins_statement = True
        self._is_expression = False
        self.templates_end = True
        self._no_regex_before = 0
        self._places: dict[bytes, int] = {}

    def end(self, start: int, piece: bytes) -> int | None:
        """See ``Reading``."""
        within = self.frames[-1].opener if self.frames else b""
        if within == b"children":
            return None if piece == b"{" else self._end_of_word(start, piece)
        if within == b"tag":
            return self._end_in_tag(start, piece)
        first = piece[:1]
        if first == b"`":
            return self._end_of_template(start)
        if first == b"-" and self._begins_line and self._text.startswith(b"-->", start):
            return self._end_of_line(start)
        if first == b"/" or (first.isspace() and b"/" in piece):
            return self._end_of_slash(start, piece)
        return None

    def _end_of_slash(self, start: int, piece: bytes) -> int | None:
        token = piece.lstrip()
        if token[:2] in (b"//", b"/*"):
            return None
        slash = start + len(piece) - len(token)
        is_regex = len(token) > 1 and token != b"/="
        if self._divides:
            return (slash if slash > start else slash + 1) if is_regex else None
        if is_regex or slash < self._no_regex_before:
            return None
        regex = JS_REGEX.match(self._text, slash)
        if regex is None:
            self._no_regex_before = self._end_of_line(slash)
        return regex.end() if regex else None

    def _end_of_template(self, start: int) -> int | None:
        if not self.templates_end or self._depth >= JS_DEEPEST_TEMPLATE:
            return None
        at, substitutes = start + 1, False
        while mark := JS_TEMPLATE_MARK.search(self._text, at):
            at = mark.end()
            if mark.group() == b"`":
                return at if substitutes else None
            if mark.group() == b"\0":
                break
            if mark.group() == b"${":
                substitutes = True
                at = self._end_of_substitution(at)
        self.templates_end = False
        return None

    def _end_of_substitution(self, at: int) -> int:
        """Where the code in a template ends; the end of the text if it does not."""
        inner = JavaScriptReading(self._reader, self._depth + 1)
        while at < len(self._text):
            end = self._reader.end_of_piece(at, inner)
            # Where a template within does not end, neither does this one; each depth would read all of the text.
            if not inner.templates_end:
                break
            piece = self._text[at:end]
            if piece == b"}" and not inner.frames:
                return end
            inner.follow(at, piece)
            at = end
        return len(self._text)

    def _end_of_line(self, start: int) -> int:
        end = self._text.find(b"\n", start)
        return end if end >= 0 else len(self._text) - 1

    def _end_in_tag(self, start: int, piece: bytes) -> int | None:
        first = piece[:1]
        if first in (b'"', b"'"):
            end = self._text.find(first, start + 1) + 1
            return end if end and end != start + len(piece) else None
        if first == b"{" or first.isalpha() or piece[:2] in (b"//", b"/*"):
            return None
        return self._end_of_word(start, piece)

    def _end_of_word(self, start: int, piece: bytes) -> int | None:
        """The end of a word, blanks or a mark, as which text is read."""
        word = JS_WORD.match(self._text, start)
        end = word.end() if word else start + 1
        return end if end != start + len(piece) or piece in _SPAN_OPENERS else None

    def follow(self, start: int, piece: bytes) -> None:
        """See ``Reading``."""
        token = piece.strip()
        frame = self.frames[-1] if self.frames else None
        if frame and frame.opener in (b"tag", b"children"):
            self._follow_element(frame, start, token)
        elif not token:
            self._begins_line = self._begins_line or b"\n" in piece
        elif token[:2] not in (b"//", b"/*") and not token.startswith((b"<!--", b"-->")):
            self._last = self._follow_code(start, token)
            self._begins_line = False

    def _follow_element(self, frame: _Frame, start: int, token: bytes) -> None:
        if token == b"{":
            self.frames.append(_Frame(b"{"))
            self._divides = False
        elif token == b"<":
            if frame.opener == b"children":
                self.frames.append(_Frame(b"tag", closes=self._text.startswith(b"/", start + 1)))
            else:
                frame.inside += 1
        elif token == b">" and frame.opener == b"tag":
            self._end_tag(frame)
        if token:
            self._last = token

    def _end_tag(self, frame: _Frame) -> None:
        if frame.inside:
            frame.inside -= 1
            return
        self.frames.pop()
        if frame.closes:
            if self.frames and self.frames[-1].opener == b"children":
                self.frames.pop()
        elif self._last != b"/":
            self.frames.append(_Frame(b"children"))
        self._divides = True

    def _follow_code(self, start: int, token: bytes) -> bytes:
        """Follow a token, and return it as what follows has to know it."""
        if JS_NAME.match(token):
            return self._follow_name(token)
        if token in (b"(", b"[", b"{"):
            self._open(token)
        elif token in (b")", b"]", b"}"):
            self._close()
        elif token == b"<" and not self._divides and self._is_element(start):
            self.frames.append(_Frame(b"tag"))
        else:
            self._follow_mark(token)
        return token

    def _follow_name(self, token: bytes) -> bytes:
        if self._last in (b".", b"?."):
            self._divides = True
            return b"." + token
        if token in JS_BODIES:
            self._is_expression = not (self._statement_begins() or self._last in (b"export", b"default", b"async"))
        is_of = token == b"of" and self._divides
        self._divides = not is_of and token not in JS_BEFORE_EXPRESSION
        # for await (...)
        return self._last if token == b"await" and self._last == b"for" else token

    def _statement_begins(self) -> bool:
        if self._last in JS_BEFORE_STATEMENT:
            return True
        if self._last in (b"{", b"}", b")", b":"):
            return self._begins_statement
        return self._divides and self._begins_line

    def _open(self, token: bytes) -> None:
        frame = _Frame(token)
        if token == b"(":
            frame.divides = self._last not in JS_STATEMENT_HEADS
            frame.pending, self._is_expression = self._is_expression, False
        elif token == b"{":
            frame.is_block = self._opens_block()
            frame.divides = not frame.is_block or self._is_expression
            self._is_expression = False
        self.frames.append(frame)
        self._divides = False
        self._begins_statement = frame.is_block

    def _opens_block(self) -> bool:
        if self._last in JS_BEFORE_STATEMENT or self._last == b")" or self._divides:
            return True
        return self._last in (b"{", b"}", b":") and self._begins_statement

    def _close(self) -> None:
        frame = self.frames.pop() if self.frames else _Frame(b"{", divides=False, is_block=True)
        self._divides = frame.divides
        self._begins_statement = not frame.divides
        if frame.opener == b"(":
            self._is_expression = frame.pending

    def _follow_mark(self, token: bytes) -> None:
        frame = self.frames[-1] if self.frames else _Frame(b"{", is_block=True)
        if token in (b"++", b"--") or (token == b"!" and self._divides):
            return
        if token == b"?":
            frame.inside += 1
        elif token == b":":
            self._begins_statement = frame.is_block and not frame.inside
            frame.inside = max(0, frame.inside - 1)
        operand = token[:1].isdigit() or token[:1] in (b'"', b"'", b"`") or (len(token) > 1 and token[:1] in b"/.")
        self._divides = operand and token not in (b"/=", b"...")

    def _is_element(self, start: int) -> bool:
        found = JS_ELEMENT.match(self._text, start)
        if not found:
            return False
        name = found.group(1)
        return name is None or any(self._last_place(mark) > start for mark in (b"</" + name, b"/>"))

    def _last_place(self, mark: bytes) -> int:
        if mark not in self._places:
            self._places[mark] = self._text.rfind(mark)
        return self._places[mark]


_PLAIN = rb"[^`\"'/{}]*"
# Strings, and the text between two slashes on a line, whether they divide or not.
_QUOTED = rb"(?:\"[^\"`\\\n]*\"|'[^'`\\\n]*'|/[^/*`\"'{}\\\n][^/`\"'{}\\\n]*/)"


# A template whose substitutions hold nothing but names, marks and what is put in.
_TEMPLATE = rb"`[^$`\\]*(?:(?:\\[\s\S]|\$(?!\{)|\$\{%b(?:(?:%b)%b){0,99}\})[^$`\\]*){0,4095}`"
_OF_QUOTED = _TEMPLATE % (_PLAIN, _QUOTED, _PLAIN)
JS_PLAIN_TEMPLATE = compiled_on_use(rb"(?:%b)\Z" % _OF_QUOTED)
JS_TEMPLATE_WITH_TEMPLATES = compiled_on_use(
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
JS_OPENS_LINES = compiled_on_use(rb"`|/\*|\\\n")
JS_LONG_LINE = 1000
JS_NEAR = 100
_BEFORE_HEAD = JS_STATEMENT_HEADS | {b"await"}  # the words before the parenthesis of a head: ``for await (...)``
JS_OPERAND = compiled_on_use(rb"[\w$\x80-\xff\"'`\]]\Z")
JS_MARK = compiled_on_use(rb"[(,=:\[!&|?{;+<>*%^~-]\Z")
JS_TAG_BEGINS = compiled_on_use(rb"[A-Za-z_$>]")
JS_BEFORE_TAG = frozenset(b"( , = : [ && || ?? ? { } ; > => return default".split())


class JavaScript:
    """The ``Care`` that JavaScript needs."""

    def is_doubtful(self, pieces: Sequence[bytes]) -> bool:
        """Whether a text may have to be cut otherwise than into these pieces."""
        slashes, templates, may_have_text = [], [], False
        for place in doubtful_places(pieces, JS_MARKED.match):
            token = pieces[place].strip()
            if token[:1] == b"/" and token[1:2] not in (b"/", b"*"):
                if not _is_certain(pieces, place, token):
                    slashes.append(place)
            elif token == b"--":
                if pieces[place + 1 : place + 2] == [b">"]:
                    return True
            elif token[:1] == b"`" and not JS_PLAIN_TEMPLATE.match(token):
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
    if last in JS_BEFORE_EXPRESSION:
        return is_regex and pieces[_before(pieces, before)].strip() not in (b".", b"?.")
    if is_regex:
        return JS_MARK.search(last) is not None and last not in (b"++", b"--", b"!")
    if last == b")":
        return _closes_operand(pieces, before)
    return JS_OPERAND.search(last) is not None and last != b"of"


def _closes_operand(pieces: Sequence[bytes], place: int) -> bool:
    """Whether a parenthesis that begins nearby does not end the head of a statement."""
    depth = 0
    for near in range(place, max(-1, place - JS_NEAR), -1):
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
        wholes = (JS_TEMPLATE_WITH_TEMPLATES.match(text, starts[place]) for place in templates)
        return not all(whole and whole.end() in ends for whole in wholes)
    return False


def _opens_lines(text: bytes, slash: int) -> bool:
    """Whether something that may span lines follows a slash on its line; on a long one, whatever follows."""
    end = text.find(b"\n", slash, slash + JS_LONG_LINE)
    far = slash + JS_LONG_LINE
    return (end < 0 and far < len(text)) or JS_OPENS_LINES.search(text, slash, end + 1 if end >= 0 else far) is not None


def _has_element(pieces: Sequence[bytes]) -> bool:
    return any(
        piece == b"<" and JS_TAG_BEGINS.match(after) and pieces[_before(pieces, place)].strip() in JS_BEFORE_TAG
        for place, (piece, after) in enumerate(pairwise(pieces))
    )
