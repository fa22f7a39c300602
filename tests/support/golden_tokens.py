"""Code in every language of the table-driven tokenizer, and the accepted token streams of it.

``PYTHONPATH=src:tests python -m support.golden_tokens`` accepts what the tokenizer yields now: for each
``tests/golden/tokens/LANGUAGE.code``, named after the first language of an entry, it rewrites ``LANGUAGE.tokens``. Look
at the difference before committing it, and raise the entry's ``revision``. Nothing in CI runs this.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import classifier, family_pieces
from winnow_ci.languages.tokens import Alphabet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.languages.families import LanguageFamily

GOLDEN = Path(__file__).parents[1] / "golden" / "tokens"
_BETWEEN = " \N{MIDDLE DOT} "
_LINE_END = "\N{RETURN SYMBOL}"


def code(family: LanguageFamily) -> bytes:
    """The code in a family's language."""
    return (GOLDEN / f"{family.languages[0]}.code").read_bytes()


def accepted(family: LanguageFamily) -> dict[int, list[str]]:
    """Line → its tokens, each its kind and text, as ``token_rows.written`` takes them."""
    text = (GOLDEN / f"{family.languages[0]}.tokens").read_text(encoding="utf-8")
    rows = (row.split(": ", 1) for row in text.splitlines())
    return {int(line): tokens.replace(_LINE_END, "\n").split(_BETWEEN) for line, tokens in rows}


def accept() -> None:
    """Accept what the tokenizer yields now."""
    for family in FAMILIES:
        by_line = groupby(_tokens(family), key=lambda token: token[0])
        rows = [f"{line}: {_BETWEEN.join(text for _, text in tokens)}\n" for line, tokens in by_line]
        golden = GOLDEN / f"{family.languages[0]}.tokens"
        golden.write_text("".join(rows), encoding="utf-8", newline="\n")


def _tokens(family: LanguageFamily) -> Iterator[tuple[int, str]]:
    alphabet, ids_of, line = Alphabet(family.name), classifier(family), 1
    kinds = {"i": alphabet.identifier, "n": alphabet.number, "s": alphabet.string, "w": alphabet.word}
    for piece in family_pieces(normalise(code(family)), family):
        token, ids = piece.strip(), ids_of(piece)
        if ids is not None:
            kind, spelt = next(
                (kind, spelt)
                for spelt in (token, token.lower())
                for kind, id_of in kinds.items()
                if id_of(spelt) == ids
            )
            before = piece[: len(piece) - len(piece.lstrip())].count(b"\n")
            yield line + before, f"{kind} {spelt.decode().replace(chr(10), _LINE_END)}"
        line += piece.count(b"\n")


if __name__ == "__main__":
    accept()
