"""The opinion: which findings fail a check, which somebody has accepted, and which paths are looked at at all."""
