"""Weigh, in bits, how strong shared tokens are as evidence of a copy."""

from winnow_ci.evidence.information import (
    GRAM,
    are_numbers,
    grams,
    informative,
    kgram_information,
    rare_numbers,
    text_grams,
)
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.evidence.weights import (
    LEARNT,
    common_grams,
    common_kgrams,
    distinctive_phrases,
    in_further_rows,
    line_hashes,
    literal_bits,
    new_literal_bits,
    on_common_lines,
    token_bits,
    weighed,
)
