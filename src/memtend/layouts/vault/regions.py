"""New text for the parts of a memory file, every other byte as it was.

Works on regions (see `parts`): a part whose text changes becomes a new region, a part that appears or goes is a
region more or less, and the file is the regions joined. Lines that the old and the new text share keep their bytes.
"""

from memtend.layouts.vault.parts import Kind, Parts, Region, Texts, says, split, unbroken
from memtend.markdown import newline_of

_HEADING = {Kind.HISTORY: b"## History", Kind.CONNECTIONS: b"## Connections"}


def retold(data: bytes, parts: Parts, old: Texts, new: Texts, title: str) -> bytes:
    """The file with the parts that differ between `old`, which is what it says, and `new` changed.

    `title` is the new title: where a heading says the old one, it says this one.
    """
    file = _File(data, parts)
    if new.content != old.content:
        file.retell(Kind.CONTENT, new.content)
    if parts.heading:
        file.retitle(title)
    elif _opens_with(new.content, title):
        file.put_heading(title)
    if new.trailing != old.trailing:
        file.retell_trailing(new.trailing)
    if new.history != old.history:
        file.retell_section(Kind.HISTORY, new.history)
    if new.connections != old.connections:
        file.retell_section(Kind.CONNECTIONS, new.connections)
    return file.joined()


def _opens_with(content: str, title: str) -> bool:
    """Whether a content begins with a heading that would be taken for the title's."""
    data = content.encode()
    if not content.startswith((" ", "#")) and "\n=" not in content:
        return False
    return split(data, 0, title).heading is not None


class _File:
    """The regions of one file while their texts change."""

    def __init__(self, data: bytes, parts: Parts) -> None:
        self._data = data
        self._parts = parts
        self._newline = newline_of(data)
        self._regions: list[tuple[Kind, bytes]] = [(r.kind, data[r.start : r.end]) for r in parts.regions]

    def joined(self) -> bytes:
        """The whole file."""
        return b"".join(text for _, text in self._regions)

    def retitle(self, title: str) -> None:
        """The title's heading says the new title."""
        heading = self._parts.heading
        if heading is None or says(self._data, heading, title):
            return
        line = self._data[heading.start : heading.text_start]
        end = line[len(line.rstrip(b"\r\n")) :]
        head = self._data[: heading.start] + _heading(title) + end
        self._regions[0] = (Kind.HEAD, head)

    def put_heading(self, title: str) -> None:
        """A heading for the title above the content."""
        head = self._regions[0][1]
        gap = b"" if not head or head.endswith(b"\n") else self._newline
        self._regions[0] = (Kind.HEAD, head + gap + _heading(title) + self._newline * 2)

    def retell(self, kind: Kind, text: str) -> None:
        """New text for the first region of a kind."""
        at = next(i for i, (each, _) in enumerate(self._regions) if each is kind)
        region = next(region for region in self._parts.regions if region.kind is kind)
        is_last = not any(text for _, text in self._regions[at + 1 :])
        new = _retold(self._data, region, self._bytes(text), self._newline, is_last=is_last)
        self._regions[at] = (kind, new)

    def retell_section(self, kind: Kind, text: str) -> None:
        """New text for History or Connections; the section comes and (History only) goes with its text."""
        at = next((i for i, (each, _) in enumerate(self._regions) if each is kind), None)
        if at is None:
            self._put_section(kind, text)
        elif text or kind is Kind.CONNECTIONS:
            self.retell(kind, text)
        else:
            self._remove(at)

    def _put_section(self, kind: Kind, text: str) -> None:
        """History comes right before Connections, Connections last."""
        section = _HEADING[kind] + (self._newline * 2 + self._bytes(text) if text else b"") + self._newline
        kinds = [each for each, _ in self._regions]
        if kind is Kind.HISTORY and Kind.CONNECTIONS in kinds:
            self._regions.insert(kinds.index(Kind.CONNECTIONS), (kind, section + self._newline))
        else:
            self._append(kind, section)

    def retell_trailing(self, text: str) -> None:
        """New text for what stands below the sections; it becomes one piece."""
        found = [i for i, (each, _) in enumerate(self._regions) if each is Kind.TRAILING]
        for at in reversed(found[1:] if text else found):
            self._remove(at)
        if found and text:
            self.retell(Kind.TRAILING, text)
        elif text:
            if not any(each in _HEADING for each, _ in self._regions):
                self._put_section(Kind.CONNECTIONS, "")
            self._append(Kind.TRAILING, self._bytes(text) + self._newline)

    def _append(self, kind: Kind, region: bytes) -> None:
        """A region at the end, parted by a blank line; a file without a final line end still has none."""
        whole = self.joined()
        is_ended = whole.endswith(b"\n") or not whole
        last = len(self._regions) - 1
        if whole and not is_ended:
            self._regions[last] = (self._regions[last][0], self._regions[last][1] + self._newline * 2)
        elif whole and not whole.endswith((b"\n\n", b"\n\r\n")):
            self._regions[last] = (self._regions[last][0], self._regions[last][1] + self._newline)
        self._regions.append((kind, region if is_ended else region.rstrip(b"\r\n")))

    def _remove(self, at: int) -> None:
        """Take a region away; at the end of the file, the blank line before it too."""
        is_last = at == len(self._regions) - 1
        is_ended = self.joined().endswith(b"\n")
        del self._regions[at]
        if is_last:
            kind, text = self._regions[-1]
            self._regions[-1] = (kind, text.rstrip(b"\r\n") + (self._newline if is_ended else b""))

    def _bytes(self, text: str) -> bytes:
        return text.encode().replace(b"\n", self._newline)


def _heading(title: str) -> bytes:
    """The title as a heading; blanks stay as they are, line ends cannot."""
    return b"# " + unbroken(title).encode()


def _retold(data: bytes, region: Region, text: bytes, newline: bytes, *, is_last: bool) -> bytes:
    """The region's bytes with a new text in place of its old one."""
    old = data[region.text.start : region.text.end]
    if old and text:
        before, after = data[region.start : region.text.start], data[region.text.end : region.end]
        return before + _with_shared_lines(old, text) + after
    before, after = data[region.start : region.anchor], data[region.text.end : region.end]
    if old:
        return before + after
    if region.kind is Kind.CONTENT:
        return _first_content(data, region, text, newline, is_last=is_last)
    gap = newline if before.endswith(b"-->") else newline * 2
    is_parted = is_last or after.count(b"\n") > 1
    return before + gap + text + after + (b"" if is_parted else newline)


def _first_content(data: bytes, region: Region, text: bytes, newline: bytes, *, is_last: bool) -> bytes:
    """Content where there was none: a blank line above it, and one below where something follows."""
    head = data[: region.start]
    gap = newline if head.endswith(b"\n") else newline * 2 if head else b""
    end = newline if head.endswith(b"\n") or not is_last else b""
    return gap + text + end + (b"" if is_last else newline)


def _with_shared_lines(old: bytes, new: bytes) -> bytes:
    """`new`, its first and last lines in the bytes of `old` where they are the same but for the line end."""
    olds, news = old.splitlines(keepends=True), new.splitlines(keepends=True)
    limit = min(len(olds), len(news))
    first = next((i for i in range(limit) if not _is_same_line(olds[i], news[i])), limit)
    rest = limit - first
    last = next((i for i in range(rest) if not _is_same_line(olds[-1 - i], news[-1 - i])), rest)
    return b"".join((*olds[:first], *news[first : len(news) - last], *olds[len(olds) - last :]))


def _is_same_line(one: bytes, other: bytes) -> bool:
    """Whether two lines have the same text, and both or neither have an end."""
    texts = one.rstrip(b"\r\n"), other.rstrip(b"\r\n")
    return texts[0] == texts[1] and (len(one) > len(texts[0])) == (len(other) > len(texts[1]))
