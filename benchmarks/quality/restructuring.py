"""What somebody does to a copied Python function who writes it anew with a tool that knows the language.

The function is parsed and written again, so its comments are gone and its layout is new; its docstring stays. Nobody
runs the result. State that was in variables may be in an object or a dictionary, and one function may be three.
"""

from __future__ import annotations

import ast
import builtins
import copy
import random
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from mutations import Mutation
from wording import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snippets import Snippet

SHORTEST, FEWEST_STATEMENTS = 15, 5
# A function, random numbers → the definitions that replace it.
Change = Callable[[ast.FunctionDef, random.Random], list[ast.stmt]]
_Body = list[ast.stmt]
_COMPARED = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


# ---- how it is written -----------------------------------------------------------------------------------------


def guarded(function: ast.FunctionDef, _: random.Random) -> list[ast.stmt]:
    """The last branch of a function or loop leaves early, instead of holding the rest."""
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef | ast.For | ast.While) and isinstance(last := node.body[-1], ast.If):
            if last.orelse or len(last.body) < 2:
                continue
            leave = ast.Return() if isinstance(node, ast.FunctionDef) else ast.Continue()
            node.body[-1:] = [ast.If(_negated(last.test), [leave], []), *last.body]
    return [function]


class _Formats(ast.NodeTransformer):
    """Formatted strings are calls of ``format``, and what is formatted with ``%`` is a formatted string."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return _call(ast.Attribute(ast.Constant("".join(map(str, parts))), "format", ast.Load()), values)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)):
            return node
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        pieces = str(node.left.value).replace("%r", "%s").replace("%d", "%s").split("%s")
        if not isinstance(node.left.value, str) or len(pieces) != len(values) + 1:
            return node
        parts: list[ast.expr] = [ast.Constant(pieces[0])]
        for value, piece in zip(values, pieces[1:], strict=True):
            parts += [ast.FormattedValue(value, -1), ast.Constant(piece)]
        return ast.JoinedStr(parts)


class _Temporaries(ast.NodeTransformer):
    """A call inside of a statement is first given a name."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self._named(node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        return self._named(node)

    def _named(self, node: ast.Assign | ast.Return) -> ast.AST | list[ast.stmt]:
        value = node.value
        inner = [one for one in ast.walk(value) if isinstance(one, ast.Call | ast.BinOp)] if value else []
        if value is None or not inner or any(isinstance(one, _OWN_NAMES) for one in ast.walk(value)):
            return node
        name, taken = _new_name(self._rng), inner[-1]
        return [ast.Assign([_stored(name)], taken), _Replaced(taken, ast.Name(name, ast.Load())).visit(node)]


class _Comprehensions(ast.NodeTransformer):
    """A list that a comprehension makes is made by a loop, and the other way round."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        value = node.value
        if (
            not isinstance(value, ast.ListComp)
            or len(value.generators) > 1
            or not isinstance(node.targets[0], ast.Name)
        ):
            return node
        name, part = node.targets[0].id, value.generators[0]
        append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
        body: _Body = [ast.Expr(_call(append, [value.elt]))]
        if part.ifs:
            body = [ast.If(part.ifs[0] if len(part.ifs) == 1 else ast.BoolOp(ast.And(), part.ifs), body, [])]
        return [ast.Assign([_stored(name)], ast.List([], ast.Load())), ast.For(part.target, part.iter, body, [])]


class _Logic(ast.NodeTransformer):
    """Comparisons and conditions are written as the negation of their opposites."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.UnaryOp(ast.Not(), ast.BoolOp(other, [_negated(one) for one in node.values]))

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if node.orelse and not isinstance(node.orelse[0], ast.If):
            return ast.If(_negated(node.test), node.orelse, node.body)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        opposite = _COMPARED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if opposite is None:
            return node
        return ast.UnaryOp(ast.Not(), ast.Compare(node.left, [opposite()], node.comparators))


class _Awaited(ast.NodeTransformer):
    """Calls of what is in no class are awaited."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return ast.Await(node) if isinstance(node.func, ast.Name) and node.func.id not in _BUILTINS else node


def awaited(function: ast.FunctionDef, _: random.Random) -> list[ast.stmt]:
    """The function is asynchronous."""
    function.body = [_Awaited().visit(one) for one in function.body]
    return [ast.AsyncFunctionDef(**dict(ast.iter_fields(function)))]


class _Matches(ast.NodeTransformer):
    """Branches on what one value is equal to, or an instance of, are cases."""

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        cases = [ast.match_case(ast.MatchAs(None, _MATCHED), node.test, node.body)]
        if node.orelse:
            cases.append(ast.match_case(ast.MatchAs(), None, node.orelse))
        return ast.Match(ast.Constant(True), cases)


def typed_and_logged(function: ast.FunctionDef, rng: random.Random) -> list[ast.stmt]:
    """Parameters have types, steps are logged, and a failure is told."""
    for one in function.args.args:
        one.annotation = ast.Name(rng.choice(("int", "str", "list", "dict", "object")), ast.Load())
    docstring, body = _parts(function)
    logged: _Body = []
    for number, statement in enumerate(body):
        if number % 3 == 0:
            logged += ast.parse(f"logger.debug('{rng.choice(WORDS)} {rng.choice(WORDS)}')").body
        logged.append(statement)
    told = ast.parse(f"logger.exception('{rng.choice(WORDS)} failed')\nraise").body
    handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, told)
    function.body = [*docstring, ast.Try(logged, [handler], [], [])]
    return [function]


# ---- what its names are ----------------------------------------------------------------------------------------


def renamed(function: ast.FunctionDef, rng: random.Random, *, attributes: bool = False) -> list[ast.stmt]:
    """Its own names are others; with ``attributes``, those of attributes and of what it calls are, too."""
    own = _locals(function) | {function.name}
    if attributes:
        own |= {one.attr for one in ast.walk(function) if isinstance(one, ast.Attribute)}
        own |= {
            one.func.id for one in ast.walk(function) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        }
        own |= {one.arg for one in ast.walk(function) if isinstance(one, ast.keyword) and one.arg}
    new = {name: _new_name(rng) for name in sorted(own - _BUILTINS - {"self", "cls"})}
    for node in ast.walk(function):
        for field in ("id", "arg", "name", "attr"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name in new and (attributes or field != "attr"):
                setattr(node, field, new[name])
    return [function]


# ---- where its state is ----------------------------------------------------------------------------------------


def as_class(function: ast.FunctionDef, rng: random.Random) -> list[ast.stmt]:
    """The function is a class with two methods; its variables are attributes."""
    names = _locals(function)
    docstring, body = _parts(function)
    state = _State(names, lambda name: ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()))
    given = sorted(one.arg for one in function.args.args if one.arg not in ("self", "cls"))
    sets = [ast.Assign([state.of(name, ast.Store())], ast.Name(name, ast.Load())) for name in given] or [ast.Pass()]
    first, rest = body[: (half := len(body) // 2)], body[half:]
    prepare, run = (f"{rng.choice(WORDS)}_{one}" for one in ("step", "run"))
    call = ast.Expr(_call(ast.Attribute(ast.Name("self", ast.Load()), prepare, ast.Load()), []))
    methods = [
        _function("__init__", ["self", *given], sets),
        _function(prepare, ["self"], [*docstring, *map(state.visit, first)]),
        _function(run, ["self"], [call, *map(state.visit, rest)]),
    ]
    name = "".join(part.capitalize() for part in function.name.strip("_").split("_"))
    return [ast.ClassDef(name or "Step", [], [], list(methods), [])]


def in_three(function: ast.FunctionDef, rng: random.Random) -> list[ast.stmt]:
    """The function is three that hand a dictionary on; its variables are items."""
    names = _locals(function)
    docstring, body = _parts(function)
    ctx = ast.Name(handed := rng.choice(("ctx", "state", "data")), ast.Load())
    state = _State(names, lambda name: ast.Subscript(ctx, ast.Constant(name), ast.Load()))
    third = max(1, len(body) // 3)
    pieces = [body[:third], body[third : 2 * third], body[2 * third :]]
    steps = [f"_{rng.choice(WORDS)}_{number}" for number in range(3)]
    given = sorted(one.arg for one in function.args.args)
    filled = ast.Dict([ast.Constant(name) for name in given], [ast.Name(name, ast.Load()) for name in given])
    calls: list[ast.stmt] = [ast.Assign([_stored(handed)], filled)]
    calls += [ast.Expr(_call(ast.Name(step, ast.Load()), [ctx])) for step in steps[:2]]
    calls.append(ast.Return(_call(ast.Name(steps[2], ast.Load()), [ctx])))
    whole = _function(function.name, given, [*docstring, *calls])
    parts = zip(steps, pieces, strict=True)
    return [whole, *(_function(step, [handed], [*map(state.visit, piece)] or [ast.Pass()]) for step, piece in parts)]


class _State(ast.NodeTransformer):
    """Puts something else where a variable is read or set."""

    def __init__(self, names: set[str], other: Callable[[str], ast.Attribute | ast.Subscript]) -> None:
        self._names = names
        self._other = other

    def of(self, name: str, context: ast.expr_context) -> ast.expr:
        found = self._other(name)
        found.ctx = context
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.of(node.id, node.ctx) if node.id in self._names else node


# ---- several of these ------------------------------------------------------------------------------------------


def _visited(
    function: ast.FunctionDef, rng: random.Random, visitor: Callable[[random.Random], ast.NodeTransformer]
) -> _Body:
    docstring, body = _parts(function)
    function.body = [*docstring, *visitor(rng).visit(ast.Module(body, [])).body]
    return [function]


def _with(visitor: type[ast.NodeTransformer]) -> Change:
    return partial(_visited, visitor=lambda _: visitor())


_TEMPORARIES: Change = partial(_visited, visitor=_Temporaries)
_WRITING: tuple[Change, ...] = (
    guarded, _with(_Formats), _TEMPORARIES, _with(_Comprehensions), _with(_Logic), _with(_Matches),
)  # fmt: skip


def _in_turn(function: ast.FunctionDef, rng: random.Random, changes: Sequence[Change]) -> list[ast.stmt]:
    """All of the changes; the last may make several definitions."""
    for change in changes[:-1]:
        function = _read_again(change(function, rng))
    return changes[-1](function, rng)


def _read_again(statements: list[ast.stmt]) -> ast.FunctionDef:
    """The one function that these are, as it reads when it is written."""
    (function,) = ast.parse(ast.unparse(ast.fix_missing_locations(ast.Module(statements, [])))).body
    assert isinstance(function, ast.FunctionDef)
    return function


_REWRITING = (_with(_Formats), _TEMPORARIES, _with(_Comprehensions), _with(_Logic))


# ---- parts of a function ---------------------------------------------------------------------------------------

_OWN_NAMES = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
)
_BUILTINS = frozenset(dir(builtins))
_MATCHED = "_"


def _parts(function: ast.FunctionDef) -> tuple[_Body, _Body]:
    """Its docstring, and its other statements."""
    count = ast.get_docstring(function) is not None
    return function.body[:count], function.body[count:]


def _locals(function: ast.FunctionDef) -> set[str]:
    """Its parameters and variables, but for those of comprehensions and of an instance."""
    inner = {
        id(name) for one in ast.walk(function) if isinstance(one, ast.comprehension) for name in ast.walk(one.target)
    }
    names = (one for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    found = {one.id for one in names if id(one) not in inner} | {one.arg for one in function.args.args}
    return (
        found
        - {name.id for one in _comprehended(function) for name in ast.walk(one) if isinstance(name, ast.Name)}
        - {"self", "cls"}
    )


def _comprehended(function: ast.FunctionDef) -> Iterator[ast.expr]:
    yield from (one.target for one in ast.walk(function) if isinstance(one, ast.comprehension))


def _function(name: str, given: Sequence[str], body: _Body) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(one) for one in given], None, [], [], None, [])
    return ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None)


def _call(function: ast.expr, given: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(function, list(given), [])


def _stored(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _negated(test: ast.expr) -> ast.expr:
    return (
        test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ast.UnaryOp(ast.Not(), test)
    )


def _new_name(rng: random.Random) -> str:
    return "_".join(rng.sample(WORDS, 2))


class _Replaced(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, was: ast.AST, new: ast.AST) -> None:
        self._was, self._new = was, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._was else self.generic_visit(node)


def _parsed(snippet: Snippet) -> ast.FunctionDef | None:
    """A function, if it is long enough and has nothing that would bind its state: functions in it, generators."""
    try:
        (function,) = ast.parse(dedent("\n".join(snippet.lines))).body
    except (SyntaxError, ValueError):
        return None
    if (
        not isinstance(function, ast.FunctionDef)
        or function.args.vararg
        or function.args.kwarg
        or function.args.kwonlyargs
    ):
        return None
    inner = (one for one in ast.walk(function) if one is not function)
    refused = (
        ast.FunctionDef,
        ast.ClassDef,
        ast.Lambda,
        ast.Yield,
        ast.YieldFrom,
        ast.Global,
        ast.Nonlocal,
        ast.Delete,
    )
    code = len(ast.unparse(_parts(function)[1]).splitlines()) if _parts(function)[1] else 0
    is_whole = not any(isinstance(one, refused) for one in inner) and len(_parts(function)[1]) >= FEWEST_STATEMENTS
    return function if is_whole and code >= SHORTEST else None


def _written(change: Change, function: ast.FunctionDef, rng: random.Random) -> list[str]:
    found = change(copy.deepcopy(function), rng)
    return ast.unparse(ast.fix_missing_locations(ast.Module(found, []))).splitlines()


def _applied(snippet: Snippet, rng: random.Random, _: Sequence[str], *, change: Change) -> list[str]:
    function = _parsed(snippet)
    assert function is not None
    margin = snippet.lines[0][: len(snippet.lines[0]) - len(snippet.lines[0].lstrip())]
    return indent("\n".join(_written(change, function, rng)), margin).split("\n")


def _fits(snippet: Snippet, *, change: Change) -> bool:
    """Whether the function can be changed so."""
    function = _parsed(snippet)
    return function is not None and _written(change, function, random.Random(0)) != ast.unparse(function).splitlines()


def _restructuring(*changes: Change) -> Mutation:
    change = partial(_in_turn, changes=changes)
    return Mutation(partial(_applied, change=change), partial(_fits, change=change))


RESTRUCTURINGS = {
    "leaves early": _restructuring(guarded),
    "formatting": _restructuring(_with(_Formats)),
    "temporaries": _restructuring(_TEMPORARIES),
    "comprehensions": _restructuring(_with(_Comprehensions)),
    "logic": _restructuring(_with(_Logic)),
    "async": _restructuring(awaited),
    "match": _restructuring(_with(_Matches)),
    "types and logging": _restructuring(typed_and_logged),
    "all of these renamed": _restructuring(*_WRITING, typed_and_logged, renamed),
    "attributes renamed": _restructuring(partial(renamed, attributes=True)),
    "a class": _restructuring(as_class),
    "in three": _restructuring(in_three),
    "rewritten a class": _restructuring(*_REWRITING, as_class),
    "rewritten in three": _restructuring(*_REWRITING, in_three),
}
