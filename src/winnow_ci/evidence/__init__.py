"""Weigh, in bits, how strong shared tokens are as evidence of a copy."""
