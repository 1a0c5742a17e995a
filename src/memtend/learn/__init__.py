"""Outside material to proposals: acquire, segment, match, draft."""
