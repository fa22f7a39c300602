"""Loops and branches, written in another way that does the same."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from statements import Clause, Statement, compound, simple, walked
from wording import WORDS

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence


def rewritten(statements: Sequence[Statement], syntax: str, rng: random.Random) -> list[Statement]:
    """``for`` as ``while`` and the reverse, the branches of ``if`` exchanged, in Python comprehensions as loops."""
    found: list[Statement] = []
    for one in statements:
        parts = tuple(part._replace(body=tuple(rewritten(part.body, syntax, rng))) for part in one.clauses)
        inner = one._replace(clauses=parts)
        other = _python(inner, rng) if syntax == "python" else _braces(inner, syntax, rng)
        found += [other[0]._replace(lead=one.lead), *other[1:]]
    return found


def _name(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}_{rng.choice(WORDS)}"


# ---- Python ----------------------------------------------------------------------------------------------------


def _python(one: Statement, rng: random.Random) -> list[Statement]:
    if not one.clauses:
        return _comprehension(one, rng)
    body = one.clauses[0].body
    if len(one.clauses) == 1:
        if loop := re.fullmatch(r"for (.+?) in (.+):", one.head):
            return _iterated(loop[1], loop[2], body, rng)
        if (loop := re.fullmatch(r"while (.+):", one.head)) and loop[1] != "True":
            stop = compound((f"if not ({loop[1]}):", [simple("break")]))
            return [compound(("while True:", [stop, *body]))]
    branch = re.fullmatch(r"if (.+):", one.head)
    if branch and len(one.clauses) > 1:
        return [compound((f"if not ({branch[1]}):", _others(one)), ("else:", body))]
    return [one]


def _iterated(target: str, values: str, body: Sequence[Statement], rng: random.Random) -> list[Statement]:
    name = _name(rng)
    step = compound(("try:", [simple(f"{target} = next({name})")]), ("except StopIteration:", [simple("break")]))
    return [simple(f"{name} = iter({values})"), compound(("while True:", [step, *body]))]


def _comprehension(one: Statement, rng: random.Random) -> list[Statement]:
    """A list comprehension that is assigned or returned, as a loop."""
    try:
        (function,) = ast.parse(f"def f():\n {' '.join(one.lines)}").body
        assert isinstance(function, ast.FunctionDef)
        (node,) = function.body
    except (SyntaxError, ValueError):
        return [one]
    value = getattr(node, "value", None)
    if not isinstance(value, ast.ListComp) or len(value.generators) != 1 or value.generators[0].is_async:
        return [one]
    if isinstance(node, ast.Return):
        name = _name(rng)
        return [*_appended(name, value), simple(f"return {name}")]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
        return _appended(node.targets[0].id, value)
    return [one]


def _appended(name: str, value: ast.ListComp) -> list[Statement]:
    source = value.generators[0]
    inner = simple(f"{name}.append({ast.unparse(value.elt)})")
    for test in reversed(source.ifs):
        inner = compound((f"if {ast.unparse(test)}:", [inner]))
    head = f"for {ast.unparse(source.target)} in {ast.unparse(source.iter)}:"
    return [simple(f"{name} = []"), compound((head, [inner]))]


def _others(one: Statement) -> list[Statement]:
    """What the branches after the first say, as the statements of a block."""
    clause, *more = one.clauses[1:]
    if clause.head == ("else:",):
        return list(clause.body)
    head = re.sub(r"^(\} ?else |el(?=if))", "", clause.head[0])
    return [Statement(clauses=(Clause((head, *clause.head[1:]), clause.body), *more), tail=one.tail)]


# ---- languages with braces -------------------------------------------------------------------------------------


def _braces(one: Statement, syntax: str, rng: random.Random) -> list[Statement]:
    if not one.clauses or one.tail != ("}",):
        return [one]
    head, body = re.sub(r"\s+", " ", one.head), one.clauses[0].body
    if len(one.clauses) == 1:
        return _loop(one, head, syntax, rng)
    branch = re.fullmatch(r"if ?\((.+)\) ?\{", head)
    follows = re.match(r"\} ?else( if ?\(.*)? ?\{$", " ".join(one.clauses[1].head))
    if not (branch and follows):
        return [one]
    others = _others(one) if follows[1] else one.clauses[1].body
    return [compound((f"if (!({branch[1]})) {{", others), ("} else {", body), tail="}")]


def _loop(one: Statement, head: str, syntax: str, rng: random.Random) -> list[Statement]:
    body, name = one.clauses[0].body, _name(rng)
    if loop := re.fullmatch(r"while ?\((.+)\) ?\{", head):
        return [compound((f"for (; {loop[1]}; ) {{", body), tail="}")]
    loop = re.fullmatch(r"for ?\(([^;]*);([^;]*);([^;]*)\) ?\{", head)
    if loop and not any("continue" in inner.text for inner in walked(body)):
        first, test, step = (part.strip() for part in loop.groups())
        before, after = ([simple(f"{part};")] if part else [] for part in (first, step))
        return [*before, compound((f"while ({test or '1'}) {{", [*body, *after]), tail="}")]
    if syntax == "java" and (loop := re.fullmatch(r"for ?\((?:final )?(.+?) (\w+) ?: ?(.+)\) ?\{", head)):
        each = simple(f"{loop[1]} {loop[2]} = {name}.next();")
        source = simple(f"Iterator<{loop[1]}> {name} = {loop[3]}.iterator();")
        return [source, compound((f"while ({name}.hasNext()) {{", [each, *body]), tail="}")]
    if loop := re.fullmatch(r"for ?\((const|let|var) (.+?) of (.+)\) ?\{", head):
        each = simple(f"{loop[1]} {loop[2]} = {name}.shift();")
        return [
            simple(f"const {name} = [...{loop[3]}];"),
            compound((f"while ({name}.length > 0) {{", [each, *body]), tail="}"),
        ]
    return [one]
