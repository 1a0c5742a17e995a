"""Usage-counted learnings and preferences, a line each (role spec)."""
