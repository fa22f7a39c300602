"""What somebody does to a copied function so that it does the same and looks like another one.

Statements without effect between its own, loops and branches written in another way, a part of it moved into a function
of its own, independent statements swapped, and other names and layout; in Python, C, C++, Java, JavaScript, TypeScript
and PHP. Nobody compiles the result, so types of new variables need not be right.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from layout import reformatted
from lexing import SYNTAX, lex
from mutations import Change as Changed
from mutations import Mutation
from naming import names_in, renamed, with_names
from rewriting import rewritten
from statements import Clause, Statement, compound, read, simple, walked, written
from wording import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snippets import Snippet

SHORTEST = 15
# Of a function's lines, how many may be moved into another one.
LEAST_MOVED, MOST_MOVED, FEWEST_MOVED = 0.25, 0.6, 4
LEAVES = re.compile(
    r"\b(return|yield|break|continue|goto|raise|throw|await|case|default|import|from|global|nonlocal)\b"
)
ASSIGNED = re.compile(
    r"^\s*(?:[\w<>\[\],.*&? ]+?[ *])?([A-Za-z_$][\w$.]*)\s*(?:[-+*/|&%]|<<|>>)?=(?![=>])(?!.*,$)"
    r"|\bfor\s*\(?\s*(?:const |let )?(\w+) (?:in|of)\b",
    re.MULTILINE,
)
SEVERAL = re.compile(r"^\s*(?:for )?((?:\w+, )+\w+) (?:=|in) ", re.MULTILINE)
FUNCTION = re.compile(r"^[^=\n]*?(\w+)\s*\([^()]*\)[^;\n]*[:{]$|\bdef (\w+)", re.MULTILINE)
HEAD = re.compile(r"\bdef .*?:$|^\s*(?:[\w<>\[\],.*&]+ )+\w+\s*\(.*?[{]\s*$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[A-Za-z_$][\w$.]*")

NOTHING = {
    "python": (
        "{a} = {n}",
        "{a} = None",
        "{a} = len('{b}')",
        "assert {n} != {m}",
        "{a} = [{n}, {m}]",
        "if {n} > {m}: {a} = {n}",
    ),
    "c": (
        "int {a} = {n};",
        "(void) {n};",
        "if (0) {{ (void) {n}; }}",
        'const char *{a} = "{b}";',
        "unsigned {a} = {n} + {m};",
    ),
    "java": (
        "int {a} = {n};",
        "boolean {a} = false;",
        'String {a} = "{b}";',
        "assert {n} != {m};",
        "long {a} = {n} + {m};",
    ),
    "javascript": (
        "let {a} = {n};",
        "const {a} = null;",
        "void {n};",
        'const {a} = "{b}";',
        "if ({n} > {m}) {{ void {n}; }}",
    ),
    "php": (
        "${a} = {n};",
        "${a} = null;",
        "${a} = strlen('{b}');",
        "${a} = [{n}, {m}];",
        "if ({n} > {m}) {{ ${a} = {n}; }}",
    ),
}
NOTHING |= {"typescript": NOTHING["javascript"], "cpp": NOTHING["c"]}

# Statements of a stretch, syntax, random numbers → other statements.
Change = Callable[[Sequence[Statement], str, random.Random], Sequence[Statement]]


def inserted(statements: Sequence[Statement], syntax: str, rng: random.Random, every: int) -> list[Statement]:
    """One statement without effect for so many lines, wherever a statement of the function begins."""
    since = 0

    def block(body: Sequence[Statement]) -> list[Statement]:
        nonlocal since
        found: list[Statement] = []
        for one in body:
            if since >= every and not re.match(r"(case|default)\b", one.text):
                found.append(simple(_nothing(syntax, rng)))
                since = 0
            since += len(one.lines)
            found.append(one._replace(clauses=tuple(clause(part) for part in one.clauses)))
        return found

    def clause(part: Clause) -> Clause:
        nonlocal since
        since += len(part.head)
        return part._replace(body=tuple(block(part.body)))

    return block(statements)


def _nothing(syntax: str, rng: random.Random) -> str:
    a, b = rng.sample(WORDS, 2)
    return rng.choice(NOTHING[syntax]).format(
        a=f"{a}{rng.randrange(2, 99)}", b=b, n=rng.randrange(99), m=rng.randrange(99)
    )


# ---- swaps -----------------------------------------------------------------------------------------------------


def swapped(statements: Sequence[Statement], syntax: str, rng: random.Random) -> list[Statement]:
    """Neighbouring simple statements that do not depend on each other change places."""
    left = [
        one._replace(clauses=tuple(part._replace(body=tuple(swapped(part.body, syntax, rng))) for part in one.clauses))
        for one in statements
    ]
    found: list[Statement] = []
    while left:
        if len(left) > 1 and _are_independent(left[0], left[1]):
            found += [left[1], left[0]]
            del left[:2]
        else:
            found.append(left.pop(0))
    return found


def _are_independent(one: Statement, other: Statement) -> bool:
    texts = (one.text, other.text)
    if one.clauses or other.clauses or any(LEAVES.search(text) or text[:1] in "\"'#@" for text in texts):
        return False
    both_call = all("(" in text for text in texts)
    return not (both_call or _assigned(one.text) & _names(other.text) or _assigned(other.text) & _names(one.text))


def _assigned(text: str) -> set[str]:
    return {name for pair in ASSIGNED.findall(text.replace("->", ".")) for name in pair if name}


def _names(text: str) -> set[str]:
    found = set(NAME.findall(text.replace("->", ".")))
    return found | {name[: match.start()] for name in found for match in re.finditer(r"\.", name)}


# ---- extraction ------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """Statements that could be moved into a function of their own."""

    body: tuple[Statement, ...]
    first: int
    last: int

    @property
    def moved(self) -> tuple[Statement, ...]:
        return self.body[self.first : self.last]


def extracted(statements: Sequence[Statement], syntax: str, rng: random.Random) -> list[Statement]:
    """A part of the function becomes a function, which stands before it."""
    parts = list(_parts(statements))
    if not parts:
        return list(statements)
    part = rng.choice(parts)
    name = "_".join(rng.sample(WORDS, 2))
    inside = "\n".join(written(part.moved, "", "    "))
    rest = "\n".join(written(_without(statements, part, []), "", "    "))
    handed = sorted(_names(inside) & (_assigned(rest) | _parameters(statements)))
    handed = [one for one in handed if "." not in one]
    given = sorted(one for one in _assigned(inside) & _names(rest) if "." not in one)
    function, call = _function(syntax, name, part.moved, handed, given)
    return [function, *_without(statements, part, [call])]


def _parts(statements: Sequence[Statement]) -> Iterator[_Part]:
    total = len(written(statements, "", " "))
    for body in (clause.body for one in walked(statements) for clause in one.clauses):
        for first, last in itertools.combinations(range(len(body) + 1), 2):
            lines = written(body[first:last], "", " ")
            fits = LEAST_MOVED * total <= len(lines) <= MOST_MOVED * total and len(lines) >= FEWEST_MOVED
            if fits and not LEAVES.search("\n".join(lines)):
                yield _Part(body, first, last)


def _without(statements: Sequence[Statement], part: _Part, instead: Sequence[Statement]) -> list[Statement]:
    def body(of: tuple[Statement, ...]) -> tuple[Statement, ...]:
        if of is part.body:
            return (*of[: part.first], *instead, *of[part.last :])
        return tuple(_without(of, part, instead))

    return [
        one._replace(clauses=tuple(clause._replace(body=body(clause.body)) for clause in one.clauses))
        for one in statements
    ]


def _parameters(statements: Sequence[Statement]) -> set[str]:
    head = " ".join(one.head for one in statements)
    inside = head[head.find("(") + 1 : head.rfind(")")]
    return {match[1] for match in re.finditer(r"([\w$]+)\s*(?:[,:=]|$|\[)", inside)}


def _function(
    syntax: str, name: str, body: Sequence[Statement], handed: Sequence[str], given: Sequence[str]
) -> tuple[Statement, Statement]:
    """A function with this body, and the call of it."""
    call = f"{name}({', '.join(handed)})"
    if syntax == "python":
        back = [simple(f"return {', '.join(given)}")] if given else []
        told = f"{', '.join(given)} = " if given else ""
        return compound((f"def {call}:", [*body, *back])), simple(told + call)
    heads = {"c": ("static int", "void *"), "cpp": ("static int", "void *"), "java": ("private Object", "Object ")}
    kind = given[0] if given else ""
    back = [simple(f"return {kind or '0'};")] if kind or syntax in heads else []
    returned, typed = heads.get(syntax, ("function", ""))
    head = f"{returned} {name}({', '.join(typed + one for one in handed)}) {{"
    return compound((head, [*body, *back]), tail="}"), simple(f"{kind} = {call};" if kind else f"{call};")


# ---- all of it -------------------------------------------------------------------------------------------------


def _everything(statements: Sequence[Statement], syntax: str, rng: random.Random) -> list[Statement]:
    changed = rewritten(swapped(statements, syntax, rng), syntax, rng)
    return inserted(extracted(changed, syntax, rng), syntax, rng, 4)


def _own_names_and_layout(snippet: Snippet, rng: random.Random, host: Sequence[str]) -> list[str]:
    return reformatted(snippet._replace(lines=tuple(_with_own_names_changed(snippet, rng))), rng, host)


def _every_name_and_layout(snippet: Snippet, rng: random.Random, host: Sequence[str]) -> list[str]:
    return reformatted(snippet._replace(lines=tuple(renamed(snippet, rng, host))), rng, host)


def _with_own_names_changed(snippet: Snippet, rng: random.Random) -> list[str]:
    """Other names for the function, its parameters and its variables; what it uses of other code keeps its name."""
    lexemes = lex("\n".join(snippet.lines), SYNTAX[snippet.suffix])
    own, taken, names, before = _own_names("\n".join(snippet.lines)), names_in(lexemes), {}, ""
    if snippet.suffix == ".php":
        own = {name.lstrip("$") for name in own}
    parts = []
    for lexeme in lexemes:
        is_own = lexeme.kind == "name" and lexeme.text in own and before not in (".", "->", "?.")
        parts += with_names([lexeme], names, taken, rng) if is_own else [lexeme.text]
        before = lexeme.text
    return "".join(parts).split("\n")


def _own_names(text: str) -> set[str]:
    """The names that a text defines: of functions, parameters and variables."""
    heads = "".join(HEAD.findall(text)[:2])
    return {
        *(name for pair in FUNCTION.findall(text) for name in pair if name),
        *re.findall(r"(\w+)\s*(?=[,:=)])", heads),
        *(name for row in SEVERAL.findall(text) for name in row.split(", ")),
        *_assigned(text),
        *re.findall(r"\bas \$?(\w+)", text),
    }


def _applied(change: Change, snippet: Snippet, rng: random.Random, _: Sequence[str]) -> list[str]:
    syntax = SYNTAX[snippet.suffix]
    indent, unit = _indentation(snippet.lines)
    return written(change(read(snippet.lines, syntax), syntax, rng), indent, unit)


def _indentation(lines: Sequence[str]) -> tuple[str, str]:
    """That of a stretch, and the unit by which its blocks are indented."""
    depths = sorted({line[: len(line) - len(line.lstrip())] for line in lines if line.strip()}, key=len)
    unit = depths[1].removeprefix(depths[0]) if len(depths) > 1 else "    "
    return depths[0], unit


def _all(snippet: Snippet, rng: random.Random, host: Sequence[str], *, last: Changed) -> list[str]:
    changed = _applied(_everything, snippet, rng, host)
    return last(snippet._replace(lines=tuple(changed)), rng, host)


def _could_be_laundered(snippet: Snippet) -> bool:
    """Whether a function is long enough, and can be read and written again without a change."""
    syntax = SYNTAX[snippet.suffix]
    try:
        statements = read(snippet.lines, syntax)
    except ValueError:
        return False
    code = [line for line in snippet.lines if lex(line.strip() + "\n", syntax)[0].significant]
    again = written(statements, *_indentation(snippet.lines))
    same = [line.strip() for line in again if line.strip()] == [line.strip() for line in snippet.lines if line.strip()]
    return len(code) >= SHORTEST and same and bool(statements[-1].clauses)


def _fits(change: Change, snippet: Snippet) -> bool:
    """Whether the change would do anything."""
    if not _could_be_laundered(snippet):
        return False
    statements = read(snippet.lines, SYNTAX[snippet.suffix])
    return list(change(statements, SYNTAX[snippet.suffix], random.Random(0))) != list(statements)


def _laundering(change: Change) -> Mutation:
    return Mutation(partial(_applied, change), partial(_fits, change))


def _with_nothing(every: int) -> Mutation:
    return _laundering(partial(inserted, every=every))


LAUNDERINGS = {
    "every 8th line inserted": _with_nothing(8),
    "every 4th line inserted": _with_nothing(4),
    "every 2nd line inserted": _with_nothing(2),
    "loops and branches": _laundering(rewritten),
    "extracted": _laundering(extracted),
    "swapped": _laundering(swapped),
    "own names and layout": Mutation(_own_names_and_layout, _could_be_laundered),
    "all together": Mutation(partial(_all, last=_own_names_and_layout), partial(_fits, rewritten)),
    "all, every name": Mutation(partial(_all, last=_every_name_and_layout), partial(_fits, rewritten)),
}
UNCHANGED = Mutation(lambda snippet, _, __: list(snippet.lines), _could_be_laundered)
