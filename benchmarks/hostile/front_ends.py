"""Texts that nobody would write, through everything that reads the text of a changed file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from commands import git, here, judged
from containers import CONTAINERS
from known_code import SAMPLES, known_index
from lexer_linearity import FRAGMENTS
from mutations import mutated, pumped, soup
from trials import Outcome, Part, Verdict

from winnow_ci.languages import Untokenizable, comments, first_reading, normalise, pygments_lexer, resolve_language
from winnow_ci.languages.families import FAMILIES
from winnow_ci.scanner.files import quoted_tokens

if TYPE_CHECKING:
    from random import Random

    from trials import Attempt

    from winnow_ci.languages import TokenizedContent

# A lexer of Pygments reads each fortieth text, which takes as long as all others do.
PYGMENTS = tuple(
    filter(
        None,
        map(
            resolve_language,
            "clojure scheme common-lisp nim d delphi tcl cmake make docker ada prolog vim awk fsharp tex".split(),
        ),
    )
)
OWN = (*(language for family in FAMILIES for language in family.languages), "html", "vue", "notebook")
PROSE = tuple(filter(None, map(resolve_language, "markdown restructuredtext text yaml toml json diff".split())))
EVERY_PYGMENTS, EVERY_PROSE, EVERY_SCAN = 40, 12, 500
LONGEST = 100_000
# The families in which an index of the known code has quoted code read.
QUOTED = frozenset(
    family.name for family in FAMILIES if not SAMPLES.keys().isdisjoint({*family.languages, family.name})
)
# How a command line meets languages: by the endings of files.
ENDINGS = (
    "py js ts jsx java c cpp go rb php rs cs pl sh swift kt scala sql css html vue md ipynb yml ex hs lua r jl".split()
)


def _prepared(work: Path) -> Attempt:
    index = work / "scanned.db"
    index.write_bytes(known_index(work))
    return partial(_attempt, index)


def _attempt(index: Path, number: int, chance: Random) -> Outcome:
    if number % EVERY_SCAN == EVERY_SCAN - 1:
        return _scan(index, chance)
    return _read(language_of(number, chance), text(chance))


def language_of(number: int, chance: Random) -> str:
    """The language of a trial."""
    if number % EVERY_PYGMENTS == 0:
        return chance.choice(PYGMENTS)
    return chance.choice(PROSE if number % EVERY_PROSE == 0 else OWN)


def text(chance: Random) -> bytes:
    """A text: known code that was edited, fragments in a row, or a few of them very often."""
    kind = chance.random()
    if kind < 0.5:
        seed, other = _seed(chance), _seed(chance)
        return mutated(seed, chance, FRAGMENTS, other)
    return soup(chance, FRAGMENTS, 400) if kind < 0.9 else pumped(chance, FRAGMENTS, LONGEST)


def _seed(chance: Random) -> bytes:
    """Known code, as itself or as text in something."""
    sample = chance.choice(tuple(SAMPLES.values()))
    kept = chance.choice(tuple(CONTAINERS.values())).keep(sample) if chance.random() < 0.5 else None
    content = kept[1] if kept else None
    return (content if isinstance(content, str) else sample.text).encode()


def _read(language: str, content: bytes) -> Outcome:
    files = {f"text.{language.replace('/', '_')}": content}
    try:
        found = first_reading(language, content)
        list(quoted_tokens(language, content, found.tokens, QUOTED))
        if problem := _inconsistent(found, normalise(content)) or _unstable(found, language, content):
            return Outcome(Verdict.MISSED, language, problem, files)
        # A scan asks for no comments where the lexer has failed.
        if not found.failure:
            list(comments(language, normalise(content)))
    except Untokenizable as reason:
        return Outcome(Verdict.HELD, language, f"not read: {reason.reason.split(' (')[0]}")
    finally:
        # What a process that is killed has used counts from its start, so each trial has its own.
        pygments_lexer.end_lexer()
    return Outcome(Verdict.HELD, language, "fallback" if found.failure else "read")


def _inconsistent(found: TokenizedContent, content: bytes) -> str:
    tokens = found.tokens
    lengths = {len(array) for array in (tokens.structural, tokens.verbatim, tokens.first_lines, tokens.sketch)}
    if lengths != {len(tokens.last_lines)}:
        return "arrays of different lengths"
    lines = content.count(b"\n") + 1
    if len(tokens) and not 1 <= int(tokens.first_lines.min()) <= int(tokens.last_lines.max()) <= lines:
        return "a token outside of the text"
    if (np.diff(tokens.first_lines) < 0).any() or (tokens.last_lines < tokens.first_lines).any():
        return "tokens out of order"
    return ""


def _unstable(found: TokenizedContent, language: str, content: bytes) -> str:
    # What takes Pygments all of its time takes it again.
    if found.failure:
        return ""
    again = first_reading(language, content)
    same = again.failure or np.array_equal(again.tokens.verbatim, found.tokens.verbatim)
    return "" if same else "read otherwise the second time"


def _scan(index: Path, chance: Random) -> Outcome:
    """The whole command, for a commit of such files beside a copy, which must be found."""
    root = Path("repository")
    root.mkdir()
    git(root, "init", "--quiet")
    texts = {f"f{at}.{chance.choice(ENDINGS)}": text(chance) for at in range(12)}
    for name, content in texts.items():
        (root / name).write_bytes(content)
    (root / "roads.py").write_text(SAMPLES["python"].text)
    os.chdir(root)
    git(Path.cwd(), "add", "--all")
    ended = here("scan", "--staged", "--index", index)
    return judged("scan", ended, is_held=ended.status == 1, files=texts)


PART = Part("front-ends", "texts that confuse what reads them", 3_000, 100_000, _prepared)
