"""Do front ends and the grammars of tree-sitter agree on what is a comment and what is a string?

    pip install "tree-sitter-language-pack<1"
    python benchmarks/hostile/front_ends_differential.py [FOLDER ...]

First the lines of ``tests/golden/confusions``: of each case that a grammar can read without an error, the copy must
have the leaves that it has alone. This checks the cases, not the front ends, which the tests check. Then each file of
the folders whose language has a grammar that reads it without an error: which bytes does the one call a comment, and
the other not? Prints both tables; exits with 1 if a grammar reads a case otherwise that is not in ``GRAMMAR_ERRS``.

Grammars err, too: those of ``NOT_ASKED`` know less of these languages than the cases ask for.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tree_sitter_language_pack import get_parser

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.confusions import confusions
from winnow_ci.languages import Untokenizable, language_of, normalise
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.table_tokenizer import classifier, family_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from support.confusions import Confusion

GRAMMARS = {"jsx": "javascript", "fortranfixed": "fortran", "protobuf": "proto", "objective-c": "objc", "gas": "asm"}
FAMILY = {language: family for family in FAMILIES for language in family.languages}
# Their grammars read scripts and embedded code as one leaf, or lack what the cases are about.
NOT_ASKED = frozenset("html vue php sql verilog scss lua java swift".split())
# gcc and perl read theirs as the cases say; the others are as the documents of their languages have it.
GRAMMAR_ERRS = frozenset(
    (
        "c: a comment's end on two lines",
        "haskell: the beginning of a comment in an operator's line",
        "matlab: a comment of a line that looks like a longer one",
        "perl: an assignment that looks like documentation",
        "powershell: the beginning of a comment in a string within a string",
        "powershell: an escaped quotation mark",
        "ruby: a variable to which a constant is added",
        "ruby: a variable of an object to which a constant is added",
    )
)


def leaves(root: Node, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each leaf between two places, counted from the first."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte > start and node.start_byte < end:
            if node.child_count:
                waiting.extend(reversed(node.children))
            elif node.end_byte > node.start_byte:
                yield node.type, node.start_byte - start, node.end_byte - start


def reads_as_code(case: Confusion) -> bool | None:
    """Whether a grammar reads the copy as it does alone; None if it cannot read the lines."""
    try:
        parser = get_parser(GRAMMARS.get(case.language, case.language))
    except LookupError:
        return None
    alone, whole = parser.parse(case.copy), parser.parse(case.text)
    if case.language in NOT_ASKED or alone.root_node.has_error or whole.root_node.has_error:
        return None
    start = len(case.before)
    here = list(leaves(whole.root_node, start, start + len(case.copy)))
    return here == list(leaves(alone.root_node, 0, len(case.copy)))


def comment_bytes(root: Node) -> bytearray:
    """One for each byte of a comment."""
    marked = bytearray(root.end_byte)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if "comment" in node.type:
            marked[node.start_byte : node.end_byte] = b"\1" * (node.end_byte - node.start_byte)
        else:
            waiting.extend(node.children)
    return marked


def compare_file(path: Path, counts: dict[str, Counter[str]]) -> None:
    """Count the bytes of a file's comments that one or the other sees."""
    content = path.read_bytes()
    language = language_of(str(path), content)
    family = FAMILY.get(language or "")
    if language is None or family is None:
        return
    try:
        text = normalise(content)
        tree = get_parser(GRAMMARS.get(language, language)).parse(text)
    except (LookupError, Untokenizable):
        return
    if tree.root_node.has_error or b"\r" in text:
        return
    theirs, ours = comment_bytes(tree.root_node), bytearray()
    classify = classifier(family)
    for piece in family_pieces(text, family):
        ours += bytes([bool(piece.strip()) and classify(piece) is None]) * len(piece)
    blank = [byte <= ord(" ") for byte in text]
    pairs = zip(ours, theirs, blank, strict=False)
    found = Counter((our, their) for our, their, is_blank in pairs if not is_blank)
    counts.setdefault(language, Counter()).update(
        files=1, bytes=len(text), both=found[1, 1], ours=found[1, 0], theirs=found[0, 1]
    )


def main() -> int:
    answers = {case.name: reads_as_code(case) for case in confusions()}
    tally = Counter(answers.values())
    otherwise = [name for name, answer in answers.items() if answer is False]
    print(f"cases: {tally[True]} read as code, {tally[False]} otherwise, {tally[None]} not asked or not read")
    for name in otherwise:
        print(f"  otherwise: {name}")
    counts: dict[str, Counter[str]] = {}
    for folder in sys.argv[1:]:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                compare_file(path, counts)
    print(f"{'language':14}{'files':>7}{'bytes':>12}{'comments of both':>18}{'only ours':>11}{'only theirs':>13}")
    for language, of in sorted(counts.items()):
        row = f"{language:14}{of['files']:7}{of['bytes']:12}{of['both']:18}{of['ours']:11}{of['theirs']:13}"
        print(row)
    return int(not GRAMMAR_ERRS.issuperset(otherwise))


if __name__ == "__main__":
    sys.exit(main())
