"""What tokens say: how much it means that two programs share them."""

from winnow_ci.evidence.information import GRAM, grams, informative, text_grams
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.evidence.weights import (
    LEARNT,
    common_grams,
    common_kgrams,
    distinctive_phrases,
    literal_bits,
    new_literal_bits,
    token_bits,
)

__all__ = [
    "GRAM",
    "LEARNT",
    "common_grams",
    "common_kgrams",
    "distinctive_phrases",
    "grams",
    "informative",
    "literal_bits",
    "new_literal_bits",
    "tables_digest",
    "text_grams",
    "token_bits",
]
