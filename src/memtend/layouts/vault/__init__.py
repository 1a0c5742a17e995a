"""One memory a Markdown file, with frontmatter, History and Connections (vault spec)."""
