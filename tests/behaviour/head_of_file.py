"""Files with a head, for tests of frontmatter."""

from memtend.frontmatter import read


def block(text: str, body: str = "Body.\n") -> bytes:
    """A file with that frontmatter."""
    return f"---\n{text}---\n{body}".encode()


def codes(data: bytes) -> list[str]:
    """The faults of a file's frontmatter."""
    return [fault.code for fault in read(data).problems]
