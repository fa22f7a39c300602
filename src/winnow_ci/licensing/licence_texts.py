"""Recognise the texts of licences, and sentences that name a licence.

The known texts are those of the library ``identify``, which would accept a difference of up to 5%: it takes the JSON
licence for MIT (decision 16). Here the words are compared side by side, in one pass. Names of holders, addresses and
spellings may differ, a few words at a time; one sentence more or less makes another licence.

Prose may stand above and below a text, or in its place: "roads is under the MIT License". It is understood if it is
English, names a licence after each "under", no other, and has no word that allows or forbids something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import takewhile

import xxhash

from winnow_ci.licensing.expressions import expression_of_name
from winnow_ci.named_tuples import NamedTuple

# Words that may be replaced at one place, that one side may have in addition, and that must agree after a difference.
_REPLACED, _INSERTED, _AGREED = 10, 5, 4
# A difference with one of these words changes what is allowed.
_WEIGHTY = frozenset(
    "not evil good except commercial noncommercial nuclear military academic educational research only solely "
    "prohibited forbidden cannot evaluation internal trial personal private restriction restrictions".split()
)
# What is shorter may be the number of a clause.
_COMPARED = re.compile(r"(?<![a-z])[a-z]{2,}|(?<![0-9])[0-9]{3,}")
_END = " end of terms and conditions "
_COMMENT = re.compile(r"^[ \t\r\f#*/;%|>=_-]+", re.MULTILINE)

# Words that must agree where a text begins inside another one, and how far from its first word these may be.
_ANCHOR, _FARTHEST_ANCHOR = 8, 40
# How a paragraph begins what is about parts of the source.
_PARTS = re.compile(
    r"(?i)\b(?:bundled|sub(?:component|module)s|distributed with|third.party|files in)\b"
    r"|\bthis \w+ (?:contain|include|bundle)s\b"
)
_PARAGRAPH = re.compile(r"\n\s*\n")
_LONGEST_PROSE = 300
_INCLUDE = re.compile(r"(?:\.\.[ \t]+(?:literal)?include::+|\{(?:literal)?include\})[ \t]+(\S+)")
_LINK = re.compile(r"\]\(([^][()#\s]{1,300})\)")
_FILE = re.compile(r"(?:.*/)?(?:(?:un)?licen[cs]e|copying)[\w.-]*", re.IGNORECASE)
_COPYRIGHT = re.compile(
    r"^[^\w\n]*(?:portions )?(?:copyright\W{0,3}(?:\(c\)|©|[0-9]{4}|yyyy|year)|\(c\) |©)[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RESERVED = re.compile(r"\ball rights\s+reserved\b", re.IGNORECASE)
# Addresses and names of files.
_ADDRESS = re.compile(r"(?<!\S)\S*/\S*|\b(?:un)?(?:licen[cs]e|copying)[.-]\w\S*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?![0-9])")
_MARKS = re.compile(r"[`*_\"'“”()\[\],;:<>=]+|--+|\.(?!\d)")
# How notices say the version of a licence.
_SPELLINGS = (
    (re.compile(r"\b(?:as published by the free software foundation|at your option|either|of the license)\b"), " "),
    (re.compile(r"\bunless (?:explicitly )?otherwise (?:stated|noted)\b"), " "),
    (re.compile(r"\bversion ([\d.]+) of the ((?:gnu )?(?:lesser |affero |library )?general public license)"), r"\2 \1"),
)
_UNDER = re.compile(r"\b(?:under|subject to)\s(?:the )?(?:terms (?:and conditions )?of )?(?:an? |the )?")
_NAME = "\N{SECTION SIGN}"
_AND_MORE = re.compile(rf"{_NAME} (?:and|or|with|plus|but)\b")
# Names of licences that are not understood.
_UNNAMED = re.compile(
    rf"\bunder (?!(?:the )?{_NAME}|th(?:is|ese)\b|the (?:same|above)\b)|{_AND_MORE.pattern}"
    r"|\b(?!(?:the|this|that|an?|its|same|of|in|and|your|our|to|see|full|which|open|source)\b)[a-z]+ licen[cs]es?\b"
)
# Characters.
_LONGEST_NAME = 160
_DANGLING = frozenset("and or any with plus but".split())
# A sentence with one of these is about a part, or about other code.
_OF_OTHERS = re.compile(r"\b(?:includ\w+|based on|derived|portions?|adapted|taken|from|ported|copied|borrowed)\b")
_EXCEPTIONS = {
    "permission to link the compiled version": "GCC-exception-2.0",
    "permission to link this library with independent modules": "Classpath-exception-2.0",
}
# Exceptions may have these weighty words; sentences on versions, and those that name a licence, these binding ones.
_OF_EXCEPTIONS = frozenset("not only except restriction restrictions".split())
_OF_VERSIONS = frozenset("may not only unless".split())
_OF_NOTICES = frozenset("may modify redistribute redistributed use used".split())
# A text with one of these allows or forbids something itself.
_BINDING = frozenset(
    "agree agreement agreements commercial commercially condition conditions confidential copy copies copying "
    "disclaimer disclaims evil except exclusive exclusively forbidden furnished good grant granted grants hereby "
    "herein however infringe infringement liability liable limitation limited may merchantability modification "
    "modifications modify must noncommercial not notwithstanding only patent patents permission permissions permit "
    "permits permitted personal prohibited provided purpose redistribute redistributed redistribution "
    "redistributions require required requires restricted restriction restrictions royalty sell shall solely "
    "sublicense subject unless unlimited use used warranties warranty waive without approval consent contact "
    "customers evaluation fee fees internal key keys reserved rights sales trial".split()
)
# In English prose, one word in ten at least is one of these; one in twenty is asked for, and none of a title.
_COMMON = frozenset("the is of and to by for this".split())
_FEW = 20
# Words of a title.
_TITLE_OF_PROSE, _TITLE_OF_PARAGRAPH = 12, 4


def recognise(content: bytes) -> str | None:
    """Return the SPDX name of the licence that a text is, apart from titles and copyright.

    GNU licences have no ``-only`` or ``-or-later``.
    """
    found = ((name, read_prose(around)) for name, around in texts_within(content))
    return next((name for name, prose in found if prose and not (prose.licences or prose.exception)), None)


def words_digest(content: bytes) -> bytes:
    """Return the digest of a text's words, apart from copyright."""
    return xxhash.xxh3_128_digest(" ".join(_words(_bare(content.decode("utf-8", "replace")).lower())).encode())


@cache
def _known_texts() -> list[tuple[str, tuple[str, ...]]]:
    """Names and words of the known texts, then of those that have an appendix without it."""
    from identify.vendor.licenses import LICENSES  # noqa: PLC0415 - long, and seldom needed

    known = [(name, _words(_bare(text).lower())) for name, text in LICENSES]
    ends = ((name, words, f" {' '.join(words)} ".partition(_END)) for name, words in known)
    return known + [(name, words[: len((before + end).split())]) for name, words, (before, end, more) in ends if more]


def _bare(text: str) -> str:
    """A text without marks of comments and lines of copyright."""
    bare = _RESERVED.sub("", _COMMENT.sub("", text))
    return _COPYRIGHT.sub(lambda line: line[0] if _binds(line[0]) else "", bare)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_COMPARED.findall(text))


def _end(known: tuple[str, ...], words: tuple[str, ...]) -> int | None:
    """Where a known text that words begin with ends, if they differ in few places."""
    most = 4 + len(known) // 100
    one = other = differences = 0
    while one < len(known) and other < len(words):
        if known[one] == words[other]:
            one, other = one + 1, other + 1
            continue
        found = _next_agreement(known, one, words, other)
        differences += 1
        if found is None or differences > most:
            return None
        one, other = found
    return other if len(known) - one <= _INSERTED else None


def _next_agreement(known: tuple[str, ...], one: int, words: tuple[str, ...], other: int) -> tuple[int, int] | None:
    """Where both agree again after a small difference, if they do."""
    for distance in range(1, 2 * _REPLACED + 1):
        for left in range(max(0, distance - _REPLACED), min(distance, _REPLACED) + 1):
            right = distance - left
            here = known[one + left : one + left + _AGREED]
            there = words[other + right : other + right + _AGREED]
            if here == there and (here or other + right == len(words)):
                weighty = _WEIGHTY & (set(known[one : one + left]) ^ set(words[other : other + right]))
                is_small = not weighty and (min(left, right) > 0 or distance <= _INSERTED)
                return (one + left, other + right) if is_small else None
    return None


# ---- texts with prose around them -------------------------------------------------------------------------------


def texts_within(content: bytes) -> Iterator[tuple[str, str]]:
    """Give the names of known texts that a file has as a whole, each with the prose around it."""
    text = _bare(content.decode("utf-8", "replace"))
    words = _words(text.lower())
    places = (*(word.start() for word in _COMPARED.finditer(text.lower())), len(text))
    joined = f" {' '.join(words)} "
    for name, known in _known_texts():
        if span := _span(known, words, joined):
            paragraphs = _PARAGRAPH.split(text[places[span[1]] :])
            after = takewhile(lambda one: not _PARTS.search(one) or _binds(one), paragraphs)
            yield name, "\n\n".join((text[: places[span[0]]], *after))


def _span(known: tuple[str, ...], words: tuple[str, ...], joined: str) -> tuple[int, int] | None:
    """From which word to which one a text stands among others."""
    for start in range(0, min(_FARTHEST_ANCHOR, len(known) - _ANCHOR), _ANCHOR // 2):
        at = joined.find(f" {' '.join(known[start : start + _ANCHOR])} ")
        if at >= 0:
            first = joined.count(" ", 0, at)
            begin = max(0, first - start)
            # Whether the words before may be the title and first words of the text.
            title, before = known[:start], words[begin:first]
            missing, added = Counter(title) - Counter(before), set(before) - set(title)
            is_alike = missing.total() <= _INSERTED + start // _ANCHOR and added.isdisjoint(_WEIGHTY | _BINDING)
            end = _end(known[start:], words[first:]) if is_alike else None
            return None if end is None else (begin, first + end)
    return None


# ---- prose ------------------------------------------------------------------------------------------------------


class Prose(NamedTuple):
    """What prose says of licences: the expressions that it names, an exception, and the licence file it refers to."""

    licences: tuple[str, ...]
    exception: str | None
    refers: str | None


def read_prose(text: str) -> Prose | None:
    """Read prose about the licence of a source; None if it says anything else."""
    rest = _INCLUDE.sub("", _bare(text))
    licences: list[str] = []
    exception = None
    for paragraph in _PARAGRAPH.split(rest):
        plain = _plain(paragraph)
        if found := next((name for phrase, name in _EXCEPTIONS.items() if phrase in plain), None):
            if not _WEIGHTY.isdisjoint(set(plain.split()) - _OF_EXCEPTIONS):
                return None
            exception = found
        elif len(plain.split()) > _TITLE_OF_PARAGRAPH or not _BINDING.isdisjoint(plain.split()):
            named, left = _named(plain)
            licences += named
            if _UNNAMED.search(left) or any(map(_binds, _SENTENCE.split(paragraph))):
                return None
    if not _is_english(rest):
        return None
    targets = (*_INCLUDE.findall(text), *_LINK.findall(text))
    refers = next((one for one in targets if _FILE.fullmatch(one) and "://" not in one), None)
    return Prose(tuple(dict.fromkeys(licences)), exception, refers)


def licence_of_notice(head: str) -> str | None:
    """Return the expression of the one licence that the notice in a file's header names, if it is understood."""
    if "special exception" in " ".join(head.lower().split()):
        return None
    found: set[str] = set()
    paragraphs = filter(_UNDER.search, _PARAGRAPH.split(_COMMENT.sub("", head.lower())))
    sentences = (one for paragraph in paragraphs for one in _SENTENCE.split(" ".join(paragraph.split())))
    for sentence in filter(_UNDER.search, sentences):
        named, left = _named(_plain(sentence))
        if _AND_MORE.search(left):
            return None
        found.update(named if not _OF_OTHERS.search(sentence) else ())
    return found.pop() if len(found) == 1 else None


def _plain(text: str) -> str:
    """A text in lower case, without marks and addresses, and with versions where names have them."""
    plain = " ".join(_MARKS.sub(" ", _ADDRESS.sub(" ", _LINK.sub("] ", text.lower()))).split())
    for pattern, spelling in _SPELLINGS:
        plain = pattern.sub(spelling, plain)
    return " ".join(plain.split())


def _named(plain: str) -> tuple[list[str], str]:
    """The licences named after "under", and the text with a mark in their places."""
    found, left, end = [], [], 0
    for under in _UNDER.finditer(plain):
        if under.start() >= end and (name := _name_at(plain[under.end() : under.end() + _LONGEST_NAME])):
            found.append(name[0])
            left += [plain[end : under.start()], "under ", _NAME]
            end = under.end() + name[1]
    return found, "".join([*left, plain[end:]])


@lru_cache(1 << 10)
def _name_at(plain: str) -> tuple[str, int] | None:
    """The expression of the longest name that a text begins with, and the name's length."""
    words = plain.split(" ")
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if words[count - 1] not in _DANGLING and (expression := expression_of_name(name)):
            return expression, len(name)
    return None


def _binds(sentence: str) -> bool:
    """Whether a sentence allows or forbids more than a notice of a licence and its version does."""
    plain = _plain(sentence)
    words = set(plain.split())
    binding = _BINDING & words
    if words & {"version", "versions"} and words & {"license", "licence", "gpl"}:
        binding -= _OF_VERSIONS
    return bool(binding - _OF_NOTICES if "not" not in words and _named(plain)[0] else binding)


def _is_english(text: str) -> bool:
    """Whether a text is short, and English; in German, "mit" is no licence."""
    words = text.lower().split()
    foreign = sum(not letter.isascii() for letter in text if letter.isalpha())
    common = sum(word in _COMMON for word in words)
    is_title = len(words) <= _TITLE_OF_PROSE
    return len(words) <= _LONGEST_PROSE and foreign * _FEW <= len(text) and (is_title or common * _FEW >= len(words))
