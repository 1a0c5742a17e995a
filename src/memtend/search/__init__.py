"""Questions to hits: the index, ranking and recall. Light enough for a hook at every prompt."""
