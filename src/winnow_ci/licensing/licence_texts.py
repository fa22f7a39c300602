"""Recognise the texts of licences, and documents about a licence.

The known texts are those of the library ``identify``. That compares by edit distance and accepts a difference of up to
5%: it takes the JSON licence, which is MIT plus "shall be used for Good, not Evil", for MIT, and does not recognise an
Apache licence without its appendix (decision 16). Here the words are compared side by side, in one pass. Names of
holders, addresses and spellings may differ, a few words at a time; one sentence more or less makes another licence.

A document says "roads is under the MIT License" (``docs/license.md``), or includes ``../LICENSE``. It is not the text
of a licence, and must not make its folder unknown. But nobody shall change a licence by writing one. So a document
counts for nothing if everything that it says agrees with the licence that its folder has without it: one that is
believed changes no more than one that is not there. A file that says anything else, or has a word that allows or
forbids something, is a licence text that is not recognised.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# Words that may be replaced at one place, on either side, and words that one side may have in addition.
_REPLACED = 10
_INSERTED = 5
# Words below a text: the names of its authors.
_SIGNED = 16
# At the start of a text of more than ``_LONG`` words, more may be replaced.
_LONG = 500
_AT_START = 40
# Words that must agree after a difference.
_AGREED = 4
# A difference with one of these words changes what is allowed.
_WEIGHTY = frozenset(
    "not evil good except commercial noncommercial nuclear military academic educational research only solely "
    "prohibited forbidden cannot evaluation internal trial personal private restriction restrictions".split()
)
_MOST_LINES_BEFORE = 200
_TEXT_WORD = re.compile(r"[a-z]+|[0-9]+")
_END = ("end", "of", "terms", "and", "conditions")
_TITLE = re.compile(r"\W*(licen[cs]e|version|copyright|copyleft|\(c\)|©|all rights|https?:|portions|spdx-)")
_TITLES = frozenset({"license", "licence", "reserved"})
_TITLE_WORDS = 12
_NAME_WORDS = 8
_MOST_NAMES = 2
_COMMENT = re.compile(r"^[\s#*/;%|>=_-]+", re.MULTILINE)

_DOCUMENT = re.compile(r"(?:un)?licen[cs]e.*\.(?:md|rst|markdown)", re.IGNORECASE)
_LARGEST_DOCUMENT = 64 << 10
_LONGEST_DOCUMENT = 300
_MOST_BLOCKS = 4
_SHORTEST_BLOCK = 20
_INDENTED = re.compile(r"\t| {2,}(?=\S)")
_FENCE = re.compile(r"```+|~~~+")
_INCLUDE = re.compile(r"(?:\.\.[ \t]+(?:literal)?include::+|\{(?:literal)?include\})[ \t]+(\S+)")
_LINK = re.compile(r"\]\(([^][()#\s]{1,300})\)")
# Digits in other identifiers, and in addresses, number nothing.
_BEFORE_NUMBER = r"(?:(?<![a-z0-9])|(?<=\bv)|(?<=gplv)|(?<=gpl)|(?<=bsd)|(?<=mpl)|(?<=apache))"
_WORD = re.compile(rf"[a-z]+|{_BEFORE_NUMBER}[0-9]+(?:\.[0-9]+)*(?![a-z0-9])")
_NUMBERS = {"two": "2", "three": "3"}
# What follows one of these is the name of a licence, near enough.
_BEFORE_NAME = frozenset({"under", "licensed", "licenced", "released", "distributed"})
_NEAR = 10
# Names stand beside one of these, except in a title.
_LICENCES = frozenset({"license", "licence", "licenses", "licences"})
_BESIDE = 4
_IN_TITLE = 2
_FILE = re.compile(r"(?:un)?licen[cs]e[\w.-]*|copying[\w.-]*")
# Words that name licences, and those of them that have another form.
_NAMES = (
    "mit bsd apache gnu gpl lgpl agpl mpl isc zlib boost psf artistic eclipse epl cddl eupl unlicense ofl zope zpl cc "
    "commons cern ncsa sspl busl bsl elastic polyform wtfpl unicode domain proprietary"
).split()
_FAMILIES = {name: name for name in _NAMES} | {
    "expat": "mit",
    "mozilla": "mpl",
    "lesser": "lgpl",
    "affero": "agpl",
    "gplv": "gpl",
    "lgplv": "lgpl",
    "agplv": "agpl",
}
# A text with one of these allows or forbids something itself.
_BINDING = frozenset(
    "agree agreement agreements commercial commercially condition conditions confidential copy copies copying "
    "disclaimer disclaims evil exclusive exclusively forbidden furnished good grant granted grants hereby herein "
    "however infringe infringement liability liable limitation limited may merchantability modification modifications "
    "modify must noncommercial not notwithstanding only patent patents permission permissions permit permits permitted "
    "personal prohibited provided purpose redistribute redistributed redistribution redistributions require required "
    "requires restricted restriction restrictions royalty sell shall solely sublicense subject unless unlimited use "
    "used warranties warranty waive without "
    "approval consent contact customers evaluation fee fees internal key keys reserved rights sales trial".split()
)
# So does one with this, where it speaks of licences.
_EXCEPTION = "except"
# In English prose, one word in ten at least is one of these; one in twenty is asked for, and none of a title.
_COMMON = frozenset("the is of and to by for this".split())
_FEW = 20
_TITLE_OF_DOCUMENT = 12


class RecognisedText(NamedTuple):
    """A licence's SPDX name, and the digest of its words.

    GNU licences have no ``-only`` or ``-or-later``; None is an unknown text.
    """

    name: str | None
    digest: bytes


def recognise(content: bytes) -> RecognisedText:
    """Say which licence a text is, apart from title and copyright."""
    words = _words_of_text(content.decode("utf-8", "replace"))
    digest = xxhash.xxh3_128_digest(" ".join(words).encode())
    names = {name for name, known in _known_texts() if _is_same(known, words)}
    return RecognisedText(names.pop() if len(names) == 1 else None, digest)


@cache
def _known_texts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names and words of known texts, also without an appendix."""
    from identify.vendor.licenses import LICENSES  # noqa: PLC0415 - long, and seldom needed

    found = []
    for name, text in LICENSES:
        words = _words_of_text(text)
        found += [(name, one) for one in dict.fromkeys((words, _without_appendix(words)))]
    return tuple(found)


def _words_of_text(text: str) -> tuple[str, ...]:
    lines = _COMMENT.sub("", text.lower()).splitlines()
    words = _TEXT_WORD.findall("\n".join(lines[_lines_before(lines) :]))
    # The others may be numbers of clauses.
    return tuple(word for word in words if len(word) > 1 and not (word.isdigit() and len(word) == 2))


def _lines_before(lines: Sequence[str]) -> int:
    """How many lines of titles and copyright precede the text itself."""
    names = _MOST_NAMES
    for number, line in enumerate(lines[:_MOST_LINES_BEFORE]):
        words = _TEXT_WORD.findall(line)
        if not words or (_TITLE.match(line) and (len(words) <= _TITLE_WORDS or "copyright" in line[:40])):
            continue
        if len(words) <= _TITLE_WORDS and not _TITLES.isdisjoint(words) and _WEIGHTY.isdisjoint(words):
            continue
        # A short line may be the name of a project, above the copyright.
        names -= len(words) <= _NAME_WORDS and _WEIGHTY.isdisjoint(words)
        if names < 0 or len(words) > _NAME_WORDS:
            return number
    return min(len(lines), _MOST_LINES_BEFORE)


def _without_appendix(words: tuple[str, ...]) -> tuple[str, ...]:
    for at in range(len(words) - len(_END) + 1):
        if words[at : at + len(_END)] == _END:
            return words[: at + len(_END)]
    return words


def _is_same(known: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a text differs from a known one in few places."""
    most = 4 + len(known) // 100
    one = other = differences = 0
    while one < len(known) and other < len(words):
        if known[one] == words[other]:
            one, other = one + 1, other + 1
            continue
        found = _next_agreement(known, one, words, other)
        differences += 1
        if found is None or differences > most:
            return False
        one, other = found
    rest = words[other:]
    return len(known) - one <= _INSERTED and len(rest) <= _SIGNED and _WEIGHTY.isdisjoint(rest)


def _next_agreement(known: tuple[str, ...], one: int, words: tuple[str, ...], other: int) -> tuple[int, int] | None:
    """Where both agree again after a small difference, if they do."""
    # What of a long text is its title depends on where its lines end.
    at_start = not (one and other) and len(known) > _LONG
    window = _AT_START if at_start else _REPLACED
    for distance in range(1, 2 * window + 1):
        for left in range(max(0, distance - window), min(distance, window) + 1):
            right = distance - left
            if _agree(known, one + left, words, other + right):
                small = _is_small(known[one : one + left], words[other : other + right])
                return (one + left, other + right) if small or at_start else None
    return None


def _agree(known: tuple[str, ...], one: int, words: tuple[str, ...], other: int) -> bool:
    """Whether some words agree, or all to the end of both."""
    here = known[one : one + _AGREED]
    return bool(here or other == len(words)) and here == words[other : other + _AGREED]


def _is_small(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    if not _WEIGHTY.isdisjoint(set(left) ^ set(right)):
        return False
    return bool(left and right) or max(len(left), len(right)) <= _INSERTED


# ---- documents about licences -----------------------------------------------------------------------------------


class LicenceDocument(NamedTuple):
    """What a document says of licences.

    It has the paths of the files that it includes and links to, the names of the licences whose texts it has, and the
    words and numbers that name licences.
    """

    includes: tuple[str, ...]
    links: tuple[str, ...]
    texts: tuple[str, ...]
    named: tuple[str, ...]

    def agrees(self, licence: str, *, shows_it: bool) -> bool:
        """Whether it says the same as an expression that it may show."""
        said = set(self.named).union(*(_named(_words(text)) for text in self.texts))
        known = _named(_words(licence))
        # Of a choice, somebody may name the one side that is to hold.
        needed = _families(known) if " OR " in licence and not shows_it else set()
        return bool(shows_it or _families(said)) and needed <= said <= known


def licence_document(path: str, content: bytes) -> LicenceDocument | None:
    """Read a document about licences; None if it may be a licence."""
    folder, _, name = path.rpartition("/")
    if not _DOCUMENT.fullmatch(name) or len(content) > _LARGEST_DOCUMENT:
        return None
    prose, texts = _divided(content.decode("utf-8", "replace").splitlines())
    includes, links = (
        tuple(posixpath.normpath(f"{folder}/{target}") for target in pattern.findall(prose))
        for pattern in (_INCLUDE, _LINK)
    )
    paragraphs = [_words(paragraph) for paragraph in re.split(r"\n\s*\n", _INCLUDE.sub("", prose))]
    words = [word for paragraph in paragraphs for word in paragraph]
    if len(words) > _LONGEST_DOCUMENT or any(map(_binds, paragraphs)) or not all(map(_names_licences, paragraphs)):
        return None
    if not _is_english(prose, words):
        return None
    return LicenceDocument(includes, links, tuple(texts), tuple(sorted(_named(words))))


def _words(text: str) -> list[str]:
    """Words and numbers, without names of licence files."""
    rest = " ".join(part for part in text.lower().split() if not _is_licence_file(part))
    return [_NUMBERS.get(word, word) for word in _WORD.findall(rest)]


def _is_licence_file(part: str) -> bool:
    _, slash, name = part.rstrip("`_).,;:").rpartition("/")
    return bool(slash and _FILE.fullmatch(name))


def _is_english(prose: str, words: Sequence[str]) -> bool:
    """Whether a text is English; in German, "mit" is no licence."""
    foreign = sum(not letter.isascii() for letter in prose if letter.isalpha())
    common = sum(word in _COMMON for word in words)
    return foreign * _FEW <= len(prose) and (len(words) <= _TITLE_OF_DOCUMENT or common * _FEW >= len(words))


def _binds(words: Sequence[str]) -> bool:
    of_licences = any(word in _FAMILIES or word.startswith(("licen", "unlicen")) for word in words)
    return not _BINDING.isdisjoint(words) or (of_licences and _EXCEPTION in words)


def _named(words: Sequence[str]) -> set[str]:
    """The families of licences that words name, and numbers."""
    named = {_FAMILIES.get(word) or _number(word) for word in words} - {""}
    if "gnu" in named:
        named = named - {"gnu"} | (set() if named & {"lgpl", "agpl"} else {"gpl"})
    return named


def _families(named: Collection[str]) -> set[str]:
    return {word for word in named if not word[0].isdigit()}


def _number(word: str) -> str:
    """The number of a version or of clauses, but no year."""
    return word.removesuffix(".0") if word[0].isdigit() and len(word.partition(".")[0]) < 3 else ""


def _names_licences(words: Sequence[str]) -> bool:
    """Whether a known name is wherever a paragraph must name a licence.

    Otherwise it may be somebody's own.
    """
    for number, word in enumerate(words):
        after = words[number + 1 : number + 1 + _NEAR]
        if word in _BEFORE_NAME and _FAMILIES.keys().isdisjoint(after):
            return False
        if word in _LICENCES and number >= _IN_TITLE and after[:1] not in (["text"], ["texts"], ["file"]):
            around = words[max(0, number - _BESIDE) : number]
            if _FAMILIES.keys().isdisjoint((*around, *after[:_BESIDE])):
                return False
    return True


def _divided(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The prose of a document, and the licences whose texts it shows."""
    prose, texts, tried = [], [], 0
    for is_block, part in _parts(lines):
        text = "\n".join(part)
        name = None
        if is_block and tried < _MOST_BLOCKS and len(text.split()) >= _SHORTEST_BLOCK:
            tried += 1
            name = recognise(text.encode()).name
        if name:
            texts.append(name)
        else:
            prose.append(text)
    return "\n".join(prose), texts


def _parts(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines in parts: prose, or an indented or fenced block."""
    part: list[str] = []
    fence, was_block = "", False
    for line in lines:
        mark = _FENCE.match(line)
        is_block = bool(fence) or bool(_INDENTED.match(line)) or (was_block and not line.strip())
        if mark and (not fence or line.rstrip() == fence):
            fence, is_block = "" if fence else mark[0], False
        if is_block != was_block:
            yield was_block, part
            part = []
        part.append(line)
        was_block = is_block
    yield was_block, part
