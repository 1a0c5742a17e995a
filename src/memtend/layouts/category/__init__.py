"""Decisions, patterns and sessions, compacted behind the R7 gate (category spec)."""
