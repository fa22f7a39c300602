"""Names are found again by the ids of tokens."""

from __future__ import annotations

import pytest

from winnow_ci.languages import front_end_of, names_in, tokenize
from winnow_ci.model import IDENTIFIER_SKETCH

CODE = {
    "c": (b"int add_all(node *first) { return first->size + sum2(first); }", "add_all node first size sum2"),
    "python": ("def größe(self, x1):\n    return self._größe + x1\n".encode(), "größe self x1 _größe"),
    "javascript": (b"const $el = jQuery(el$1, _);", "$el jQuery el$1 _"),
    "go": (b"func (s *Store) Put(key string) error { return s.put(key) }", "s Store Put key put"),
    "haskell": (b"step' x = grow x' where x' = x.size", "step' x grow x'"),
    "bash": (b"for f in $FILES; do grow ${f} $((by + 1)); done", "f $FILES grow ${f by"),
    "powershell": (b"Get-Item $Path -Filter $_ | grow-It", "Get-Item $Path -Filter grow-It"),
    "sql": (b"SELECT Users.Name FROM Users WHERE @Id = Users.Id", "Users Name @Id Id"),
    "scss": (b".my-box { @include grow-by($the-size); }", "my-box grow-by $the-size"),
    "vue": (b"<a>x</a><script>const $a = grow(b)</script><style>.my-box {}</style>", "$a grow b my-box"),
    "nasm": (b".loop: mov [_total], eax", ".loop _total eax"),
    "ruby": (b"def grow(by)\n  @size += by\n  $all << self.name\nend\n", "grow by @size $all name"),
    "perl": (b"sub grow { my ($by) = @_; $self->{size} += $$by[0]; }", "grow $by $self size $$by"),
    "php": (b"<?php function grow($by) { return $this->size + $by; }", "grow $by $this size"),
    "rust": (b"fn grow(by: usize) -> Node { self.size += by; make_node(by) }", "grow by size make_node"),
    "elixir": (b"def empty?(list), do: list == @none or save!(list)\n", "empty? list none save!"),
    "r": (b"is.even <- function(.x, `a b`) .x %% 2 == `a b`\n", "is.even .x"),
    "zig": (b"fn grow(by: usize) Node { return make_node(by); }", "grow by make_node"),
}


@pytest.mark.parametrize("language", CODE)
def test_names_of_tokens_are_got_back_from_the_text(language: str) -> None:
    code, names = CODE[language]
    tokens = tokenize(language, code)
    is_name = (tokens.sketch >= IDENTIFIER_SKETCH.start) & (tokens.sketch < IDENTIFIER_SKETCH.stop)
    known = names_in(code, front_end_of(language).name)
    found = {known.get(token, "?") for token in tokens.verbatim[is_name].tolist()}
    assert "?" not in found
    assert set(names.split()) <= found
