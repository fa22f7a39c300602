"""Weigh, in bits, how strong shared tokens are as evidence of a copy."""

from winnow_ci.evidence.information import GRAM, are_numbers, grams, informative, kgram_information, text_grams
from winnow_ci.evidence.lines import in_further_rows, line_hashes, on_common_lines
from winnow_ci.evidence.rare_numbers import rare_numbers
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.evidence.weights import (
    LEARNT,
    common_grams,
    common_kgrams,
    distinctive_phrases,
    literal_bits,
    new_literal_bits,
    token_bits,
    weighed,
)
