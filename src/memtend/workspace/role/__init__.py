"""Role memory, joined: one folder with its lock and journal, what is asked of it and what is done with it."""
