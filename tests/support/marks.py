"""What opens, closes and escapes things in the languages of the tables."""

from __future__ import annotations

OPENERS = {
    "bash": b"<<E\n",
    "c": b'/* R"(',
    "csharp": b'/* @" """',
    "css": b"/*",
    "dart": b"/* \"\"\" r'''",
    "elixir": b'""" ~w[ ~s<',
    "erlang": b'"""\n',
    "fortran": b"",
    "fortranfixed": b"",
    "gas": b"/*",
    "go": b"/* `",
    "groovy": b"/* ''' \"\"\"",
    "haskell": b"{-",
    "java": b'""" /*',
    "javascript": b"` /*",
    "julia": b'#= """ ```',
    "kotlin": b'/* """',
    "lua": b"[[ --[=[",
    "matlab": b"%{\n#{\n",
    "nasm": b"",
    "ocaml": b"(* {a|",
    "perl": b"m[ q< <<X",
    "php": b"/* <<<X\n ` \" '",
    "powershell": b"<# @\"\n@'\n",
    "protobuf": b"/*",
    "python": b"''' \"\"\"",
    "r": b'r"(',
    "ruby": b"=begin\n%w[ %q< <<~X",
    "rust": b'/* r#" r"',
    "scala": b'/* s"""',
    "solidity": b"/*",
    "sql": b"/*",
    "swift": b'/* #" """',
    "terraform": b"/* <<E\n",
    "verilog": b"/*",
    "vhdl": b"/*",
    "zig": b"",
}
"""Of all spans that nothing closes."""

MARKS = (
    *b" a 1 . \\ / * ' \" ` # = - [ ] ( ) { } < > ? ! % $ @ ~ | & ; : , q s m y r R w E C".split(b" "),
    *b"/* */ // -- #! #= =# ?> <?php {- -} (* *) {| |} <# #> 0' 16# '( .and. url( %{ $( &".split(b" "),
    *b'\n,\n=begin\n,\n=end,\n=cut,\nX,<<~X,<<\'X\',<<<X\n,<<X\n,[==[,]==],--[[,]],#","#,r##",@",$",\xc3\xa9'.split(
        b","
    ),
    *b'\nc,\n     1,@"\n,\n"@,\n%{\n,\n%}\n,\\\\,a\\\nb,\\u0061,\\u{61},\\U00000061,<::,<%,??<'.split(b","),
)
"""What opens, closes and escapes things in one language or another."""
