"""Placeholder."""
MUTATIONS = {"verbatim": lambda snippet, rng, host: list(snippet.lines)}
