"""Search for inputs that cost the fast scanner more than linear time.

    python benchmarks/lexer_linearity.py [PUMPS [FAMILY ...]]

For each family, or for those named, PUMPS texts (5,000 by default) of the form prefix + unit × n + suffix, made of
fragments that open, close and escape things; the seed is fixed. Each is scanned at n and 2n. A ratio of processor times
above the limit is measured again at greater sizes, the best of several runs each, since short times are noisy. Prints
for each family the worst ratio that remains, the greatest cost of a kilobyte, and the texts of both; exits with 1 if a
ratio is above the limit.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from typing import NamedTuple

from winnow_ci.languages.families import FAMILIES, Family
from winnow_ci.languages.scanner import scan
from winnow_ci.languages.text import normalise

LIMIT = 2.6
SIZES = (6_000, 60_000, 240_000)
FRAGMENTS = (
    *(bytes([byte]) for byte in b"\t\n\v\f\r !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    *b"a ab 0 1 0x 0x1 1. 1.e 1e+ 1' 0b . .. ... \\\n \\\\ \\\" \\' \\` // /* */ */* /*/ ** *** # #!".split(b" "),
    *b'\'\'\' """ \'\' "" R"( R"x( )x" )" R"xxxxxxxxxxxxxxxx( u8 u8R"( rb" rb\'\'\' f""" L\' ${ }`'.split(b" "),
    *b"=/ (/ =/[ /[ ]/ [^ return/ => /g <!-- return if typeof case :: <<= >>>= ?. ?? -> <- &^=".split(b" "),
    # C#, Dart, Groovy, Kotlin, PHP, Rust, Scala, Swift.
    *b'@" $@" $""" """" ""\'" r#" "# r##" "## br" \\( #""" """# r#a \'a \nX\n $$$$'.split(b" "),
    *b"?> <?php <?= <? <<<X <<<'X' <<<".split(b" "),
    # Elixir, Julia, Lua, Perl, R, Ruby.
    *b"--[[ --[==[ ]==] ]] [[ [==[ #= =# \n=begin \n=end \n=pod \n=cut <<~X <<-X <<X <<'X' \nX".split(b" "),
    *b"%w[ %q{ %q( %( %r| #{ qw( qq{ m{ s{ q< tr/ s/ m! y| $' $# $$ @$ %o% .a".split(b" "),
    *b'~w( ~r/ ~S""" ?" a? a! a\' :" r"( r\'--[ )--\' ]--"'.split(b" "),
    *b"\xc3\xa9 \xe2\x80\xa8 \xff \r \r\n \n\n \n\\".split(b" "),
)


class Pump(NamedTuple):
    """A text that can be made as long as one likes."""

    prefix: bytes
    unit: bytes
    suffix: bytes

    def text(self, size: int) -> bytes:
        return normalise(self.prefix + self.unit * (size // len(self.unit)) + self.suffix)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    gc.disable()
    print(f"{'family':12}{'pumps':>7}{'worst t(2n)/t(n)':>18}{'slowest us/KB':>15}")
    worst_of_all = 0.0
    for family in (family for family in FAMILIES if not sys.argv[2:] or family.name in sys.argv[2:]):
        chooser = random.Random(f"linearity {family.name}")
        measured = [(*measure(family, pump), pump) for pump in pumps(chooser, count)]
        ratio, _, pump = max(measured)
        cost, slow_pump = max((cost, pump) for _, cost, pump in measured)
        print(f"{family.name:12}{count:7}{ratio:18.2f}{cost:15.0f}  {pump}  {slow_pump}")
        worst_of_all = max(worst_of_all, ratio)
    return int(worst_of_all > LIMIT)


def pumps(chooser: random.Random, count: int) -> list[Pump]:
    return [
        Pump(
            b"".join(chooser.choices(FRAGMENTS, k=chooser.randrange(4))),
            b"".join(chooser.choices(FRAGMENTS, k=chooser.randrange(1, 5))),
            b"".join(chooser.choices(FRAGMENTS, k=chooser.randrange(2))),
        )
        for _ in range(count)
    ]


def measure(family: Family, pump: Pump) -> tuple[float, float]:
    """Ratio of the times of two lengths, and microseconds a kilobyte."""
    ratio = cost = 0.0
    for runs, size in zip((1, 3, 5), SIZES, strict=True):
        single, double = (seconds(family, pump.text(length), runs) for length in (size, 2 * size))
        ratio, cost = double / single, 1e9 * double / (2 * size)
        if ratio <= LIMIT:
            break
    return ratio, cost


def seconds(family: Family, text: bytes, runs: int) -> float:
    return min(_seconds_once(family, text) for _ in range(runs))


def _seconds_once(family: Family, text: bytes) -> float:
    began = time.process_time()
    scan(text, family)
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
