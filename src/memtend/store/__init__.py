"""The only code that writes memory files: lock, journal, check, apply, undo, git."""
