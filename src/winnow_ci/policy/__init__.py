"""Apply a team's rules: which findings fail a check, which are accepted, and which paths are scanned."""
