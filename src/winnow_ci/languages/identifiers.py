"""Verbatim ids → names: tokens keep hashes of their text, but people want to read the text.

Getting it back takes no second lexing: every word of the text that might be a name is hashed as one, and the word that
has a token's id is its name.
"""

from __future__ import annotations

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Alphabet
from winnow_ci.start_up import compiled_on_use

_WORDS = (compiled_on_use(rb"[\w\x80-\xff]+"), compiled_on_use(rb"[\w$\x80-\xff]+"))
# Names with a mark before or after them, names of several parts, and names that may contain nearly anything.
_OTHERS = (
    compiled_on_use(rb"[$@%&:']+[\w\x80-\xff]+"),
    compiled_on_use(rb"[\w\x80-\xff]+[!?]"),
    compiled_on_use(rb"`[^`\n]*`"),
    compiled_on_use(rb"[\w.\x80-\xff]+"),
    compiled_on_use(rb"[A-Za-z_\x80-\xff][\w'@$\x80-\xff-]*"),
    compiled_on_use(rb"[$@%:.-]+[A-Za-z_\x80-\xff][\w'@$\x80-\xff-]*"),
    compiled_on_use(rb"\$\{[!#]?\w*"),
    compiled_on_use(rb"""[^\s()\[\]{}"';,]+"""),
)


EMBEDDED = {
    "markup": [family.name for family in markup_tokenizer.FAMILIES],
    notebook_tokenizer.LANGUAGE: list(notebook_tokenizer.KERNELS),
}
"""Front end → the families whose tokens it yields, if they are not the one of its name."""

_FOLDED = frozenset(family.name for family in FAMILIES if "name" in family.any_case)


def names_in(text: bytes, front_end: str) -> dict[int, str]:
    """The words of a normalised text that may be names, by the verbatim id that each has as a name.

    Args:
        text: any lines of a file.
        front_end: name of the front end that made the ids.
    """
    if front_end == "pygments":
        text = as_characters(text).encode("utf-8", "surrogatepass")
    words = dict.fromkeys(word for pattern in (*_WORDS, *_OTHERS) for word in pattern.findall(text))
    names = {}
    for family in EMBEDDED.get(front_end, [front_end]):
        identifier = Alphabet(family).identifier
        for word in words:
            names[identifier(word.lower() if family in _FOLDED else word).verbatim] = word.decode("utf-8", "replace")
    return names
