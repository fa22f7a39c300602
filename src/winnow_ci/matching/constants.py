"""The numbers that decide in matching: bounds, distances and weights, for Python and the kernel.

Bits are those of evidence (``evidence``), lengths and distances are in tokens.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from winnow_ci.arrays import STEPS
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

# ---- what several steps share --------------------------------------------------------------------------------------

# A candidate of a lower score, in bits (``judge``), is not looked at further.
LEAST_SCORE = 40.0
# With at least this share of equal text, a match is a verbatim copy with a few edits.
SAME_TEXT = 0.95
# A name or literal of fewer bits is not counted.
RARE = 3.0
# The first tokens of a match are worth nothing: a token is evidence only after the three before it.
CONTEXT = 3
# In bits: the most that all phrases of a candidate weigh together.
MOST_OF_ALL = 50.0
# What the bits of equal text are multiplied by.
SAME = 1.2
# Tokens whose text is the same say a bit each, even if their structure says nothing, as in tables.
LEAST_OF_TEXT = 1.0

# ---- which contents are read ---------------------------------------------------------------------------------------

# The least bits of a content that is hardly there by chance: of 4,097 contents that have something of ten files of
# WebKit's DOM, three say so much; so do those of seven of eight copies.
SIGNIFICANT = 80.0
# What one k-gram says at most by its structure: in a language that the tables have not learnt, everything looks rare.
MOST_OF_KGRAM = 30.0
# Tokens from one hit of a neighbourhood to the next one at most.
NEXT_HIT = 120
# Diagonals of a neighbourhood lie in a band of this width; bands overlap by half.
HIT_BAND = 80
# Windows that vote: hardly longer than the shortest run that is always found (24 tokens), or runs on both sides would
# win all windows of a run between them.
WINDOW = 32
# Hits on diagonals as far apart as edits move them within a window.
VOTING_BAND = 32
# What the structure of a verbatim k-gram counts for, times what it says, or a bit a token if that is more. What its
# names and literals say comes on top.
TEXT_GAIN = 2.0
# Contents that say this share of what the best says in a window say nearly as much.
NEARLY = 2 / 3

# ---- seeds, segments and neighbourhoods ----------------------------------------------------------------------------

# A run that continues this long without a seed is cut: in ordinary code, seeds are at most a window apart.
LONGEST_WITHOUT_SEED = 2048
# Periodic code matches along very many diagonals; only the strongest can be a copy.
MOST_DIAGONALS = 128
# The least gain of a promising diagonal, and the cost of a mismatch, in bits.
LEAST_PROMISE = 32.0
MISMATCH = 2.5
# Most tokens that a seed is extended by, in each direction; and that are searched before and after a neighbourhood.
REACH = 120
# Largest distance between segments of one neighbourhood in tokens, and between their diagonals.
NEAR = 200
BAND = 40
# A shorter run is chance; off the diagonals of the seeds, so is a run that says less.
SHORTEST = 5
LEAST_ASIDE = 4.0
# Bounds of the work for hostile input.
LARGEST = 6000
WIDEST = 280
MOST_RUNS = 400
GROUPS_COMPARED = 6

# ---- chains --------------------------------------------------------------------------------------------------------

LONGEST_GAP = 60
# In bits: of a gap, of each token in it, of a change of diagonal, of each token that it changes by.
GAP_COST = 4.0
GAP_TOKEN_COST = 0.05
SHIFT_COST = 4.0
SHIFT_TOKEN_COST = 0.1
MOST_SHARED = 0.5
MOST_CHAINS = 8
# Bounds the work for hostile input; ordinary copies have a few segments.
LOOK_BACK = 200
# Most tokens between two blocks of one copy, in the change and in the content.
APART = 60
APART_THERE = 120
# A block of fewer tokens is chance, and so are two blocks worth less than this together, in bits.
LEAST_BLOCK = 12
LEAST_TOGETHER = 24.0
# A run is chance beside one that is this many times as long.
LONGER = 3
# Bounds the work for hostile input.
MOST_CANDIDATES = 12
# The least worth of a chain that is judged, in bits.
LEAST_WORTH = 20.0
# The worth of a token of a verbatim chain, in bits.
VERBATIM_BITS = round(1.7 * STEPS) / STEPS
# Verbatim chains of one content at most; ordinary changes have a few.
MOST_VERBATIM = 128

# ---- candidates ----------------------------------------------------------------------------------------------------

# How far a phrase may stand from a segment that it belongs to, in tokens, and how far its diagonal may be off.
BESIDE = 20
PHRASE_BAND = 12
# Verbatim runs shorter than t are evidence if together they have this many times t tokens.
SHORT_RUNS = 2
# Text without informative structure is evidence from this many times t tokens on.
PLAIN_TEXT = 3
# Worth in bits.
WHOLE_LINE = 6.0
OTHER_GAP = -8.0
DISAGREES = -6.0
SEGMENT_BREAK = -4.2
SHIFT = -2.8
JUMP = -1.4
# One in 22 pairs of different numbers looks equal, in rows of numbers a few more: twice as many say nothing.
CHANCE_NUMBERS = 2 / len(NUMBER_SKETCH)
# For 25 pairs of different strings one looks equal: twice as many say nothing.
CHANCE_STRINGS = 2 / (len(STRING_SKETCH) - 1)
# A whole line of fewer tokens may be a bracket alone: it counts as no equal line.
SHORTEST_LINE = 4

# ---- ends of regions, and which regions stay -----------------------------------------------------------------------

# At most this many tokens, if they are at most half of their line, may be there by chance.
MOST_STRAY = 8
# More lines than these without a token divide a segment, for the question whether its end belongs to the copy.
MOST_EMPTY = 3
# What a segment at an end has to say, in bits: at least, and more for each line between it and the next one.
LEAST_END = 8.0
EACH_LINE = 1.5
# What each break between several such segments takes off.
EACH_BREAK = 2.0
# A region that is verbatim throughout ranks as if it said this many times as much.
VERBATIM_GAIN = 1.05


class Thresholds(NamedTuple):
    """The least number of matched tokens on added lines for a region to be reported."""

    verbatim: int = 16  # of a verbatim one
    renamed: int | None = 16  # of a renamed one; None if only equal text is evidence, as in prose


@cache
def kernel_numbers() -> Any:
    """Return these numbers as the kernel takes them."""
    classes = {"identifiers": IDENTIFIER_SKETCH, "numbers": NUMBER_SKETCH, "strings": STRING_SKETCH}
    firsts = {name: sketches.start for name, sketches in classes.items()}
    own = {name.lower(): value for name, value in globals().items() if name.isupper()}
    return kernel().MatchingNumbers(own | firsts)
