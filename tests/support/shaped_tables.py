"""Tables whose rows have one shape, as programs write them: requires, options, registrations, handlers, makers."""

from __future__ import annotations

import random

WORDS = (
    "alpha beta gamma delta route plan road lamp stone river cloud paper glass metal wood field",
    "apple basic candid dragon eagle frost globe hammer kite lemon mango olive pearl robin sugar tiger",
)
ROWS = {
    "js": ("module.exports = {{", '  "{0}": () => require("./{0}"),', "}};"),
    "py": ("def add(parser):", '    parser.add_argument("--{0}", type=int, default={1}, help="the {0} of it")', ""),
    "c": ("void init(void) {{", '    register_command("{0}", cmd_{0}, READ | WRITE, {1});', "}}"),
    "java": (
        "class Handlers {{ void all() {{",
        '    map.put("{0}", new Handler({0}.class, {0}Factory::create));',
        "}} }}",
    ),
    "go": ("package all\nvar makers = map[string]func() X{{", '\t"{0}": func() X {{ return &{0}{{}} }},', "}}"),
}


def names(own: int, count: int) -> list[str]:
    """Distinct names made of two words; those of 0 and of 1 have no word in common."""
    words = WORDS[own].split()
    pairs = [first + second.title() for first in words for second in words]
    return random.Random(own).sample(pairs, count)


def table(ending: str, rows: list[str]) -> str:
    """A table with a row for each name."""
    before, row, after = ROWS[ending]
    return "\n".join([before.format(), *(row.format(name, len(name)) for name in rows), after.format(), ""])
