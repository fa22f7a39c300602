"""Search for inputs that cost the table-driven tokenizer more than linear time.

    python benchmarks/lexer_linearity.py [PUMPS [LANGUAGE ...]]

For each language that an entry of the table names first (all of them by default), and HTML, PUMPS texts (5,000 by
default) of the form prefix + unit × n + suffix, made of fragments that open, close and escape things; the seed is
fixed. Each is scanned at n and 2n. A ratio of processor times above the limit is measured again at greater sizes, the
best of several runs each, since short times are noisy. Prints for each language the worst ratio that remains, the
greatest cost of a kilobyte, and the texts of both; exits with 1 if a ratio is above the limit.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.languages import front_end_of, normalise
from winnow_ci.languages.families import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.model import Tokens

    Read = Callable[[bytes, str], Tokens]

ALL = [*(family.languages[0] for family in FAMILIES), "html"]
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
    # Haskell, OCaml, Erlang, shells, SQL, style sheets, hardware, Fortran, MATLAB, documents.
    *b"{- -} {-# (* *) (*) {| |} {a| |a} --> $\\ 16# $' $( $(( )) <<E \nE\n".split(b" "),
    *b"<<-'E' <<< ${ $# <# #> @' '@ -eq a- +%= @a |_|".split(b" "),
    *b"url( #{ #fff <<~ %{ #} %} 4'b 'h 'b1 '0 '( & .and. .a 1.e .1d % ## ; @ `a /*! C c \nC \n*".split(b" "),
    *b"<script> </script> <script <style> </style> <style type='a'> =' =\" </ --> <a <!".split(b" "),
    *(b'@"\n', b'\n"@', b"@'\n", b"\n'@", b"\n     ", b"\n     &", b"%{\n", b"\n%}\n", b'\n"""', b"\nE", b"<<E\n"),
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
    print(f"{'language':12}{'pumps':>7}{'worst t(2n)/t(n)':>18}{'slowest us/KB':>15}")
    worst_of_all = 0.0
    for language in sys.argv[2:] or ALL:
        read = front_end_of(language).read
        chooser = random.Random(f"linearity {language}")
        measured = [(*measure(read, language, pump), pump) for pump in pumps(chooser, count)]
        ratio, _, pump = max(measured)
        cost, slow_pump = max((cost, pump) for _, cost, pump in measured)
        print(f"{language:12}{count:7}{ratio:18.2f}{cost:15.0f}  {pump}  {slow_pump}", flush=True)
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


def measure(read: Read, language: str, pump: Pump) -> tuple[float, float]:
    """Ratio of the times of two lengths, and microseconds a kilobyte."""
    ratio = cost = 0.0
    for runs, size in zip((1, 3, 5), SIZES, strict=True):
        texts = [pump.text(length) for length in (size, 2 * size)]
        single, double = (min(_seconds(read, language, text) for _ in range(runs)) for text in texts)
        ratio, cost = double / single, 1e9 * double / (2 * size)
        if ratio <= LIMIT:
            break
    return ratio, cost


def _seconds(read: Read, language: str, text: bytes) -> float:
    began = time.process_time()
    read(text, language)
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
