"""The lines above the sections: frontmatter and titles, of which memtend changes two dates and nothing else."""

import re

from memtend.layouts.role import headings
from memtend.layouts.role.grammar import parse
from memtend.layouts.role.headings import standard_names
from memtend.layouts.role.ids import collapsed
from memtend.layouts.role.page import Loose, Page

_UPDATED = re.compile(r"(updated[ \t]*:[ \t]*[\"']?)(\d{4}-\d{2}-\d{2})([\"']?[ \t]*(?:#.*)?)")
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
LAST_CONSOLIDATED = "last consolidated"


def stamped(header: list[str], today: str) -> list[str]:
    """The frontmatter with `updated` today. Without that key, or with another kind of value, it stays as it is."""
    places = [at for at, line in enumerate(header) if _UPDATED.fullmatch(line)]
    if len(places) != 1:
        return header
    changed = list(header)
    changed[places[0]] = _UPDATED.sub(rf"\g<1>{today}\g<3>", header[places[0]])
    return changed


def value(header: list[str], key: str) -> str:
    """The value of a key of the frontmatter as plain text, empty where there is none."""
    for line in header:
        field = _FIELD.fullmatch(line)
        if field and field[1] == key:
            text = field[2].strip()
            return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    return ""


def with_last_consolidated(page: Page, today: str) -> Page:
    """The page with its `# Last Consolidated` line at today; the line is made where there is none."""
    line = f"# Last Consolidated: {today}"
    preamble = page.sections[0].parts
    for section in page.sections:
        for at, part in enumerate(section.parts):
            if isinstance(part, Loose) and part.kind == "title" and _title_key(part) == LAST_CONSOLIDATED:
                section.parts[at] = Loose("title", (line,))
                return page
    first = next((at for at, part in enumerate(preamble) if isinstance(part, Loose) and part.kind == "title"), None)
    if first is None:
        gap = [] if page.header or not preamble else [Loose("blank", ("",))]
        preamble[:0] = [Loose("title", (line,)), *(gap or [Loose("blank", ("",))])]
    else:
        preamble.insert(first + 1, Loose("title", (line,)))
    return page


def _title_key(part: Loose) -> str:
    return collapsed(headings.level_and_title(part.raw[0])[1]).partition(":")[0].strip().lower()


def new_page(role: str, today: str) -> Page:
    """The file of a role that remembers nothing yet."""
    quoted = role.replace("\\", "\\\\").replace('"', '\\"')
    lines = [
        "---",
        f'name: "{quoted}"',
        'version: "1.2.0"',
        f'created: "{today}"',
        f'updated: "{today}"',
        "autoConsolidate: true",
        'consolidationInterval: "7d"',
        "tags: []",
        "---",
        f"# Memory: {role}",
        f"# Last Consolidated: {today}",
        "# Auto-Extracted: true",
        "",
        "---",
        "",
    ]
    for name in standard_names():
        lines += [headings.heading(name), "- (none)", ""]
    return parse("\n".join(lines[:-1]).encode("utf-8") + b"\n")
