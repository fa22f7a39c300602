"""What a team makes of findings: which fail a check, which it has accepted, and which paths are looked at."""
