"""A grown memory to proposals: score, report, tend, condense."""
