"""What topic a source belongs to: by where it lies, by its domain words, by the memories it is like (vault spec, 2.4).

Topics are slash-separated paths of lower-case names, `python/libs`. The first source that says something wins:
the path, the words, the topics of the matches; else the topic is empty and the person gives one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memtend.learn.domains import DOMAINS, EVERYDAY, LANGUAGE_TOPICS
from memtend.text import parts, topic_path, words

DEPTH = 3
"""Names of an inferred topic at most."""
_CAP = 3
"""Times that a word counts: a subject shows in several words rather than in one that is everywhere."""

_ENOUGH = 20_000
"""Characters of a text that tell its domain."""

_SHELVES = frozenset(
    {"notes", "note", "docs", "doc", "documentation", "documents", "knowledge", "kb", "wiki", "zettelkasten", "zettel"}
    | {"inbox", "memories", "specs", "articles"}
)
"""Folders that hold subjects without being one: what is above them says nothing either."""
_PLACES = frozenset(
    {"downloads", "desktop", "dropbox", "onedrive", "projects", "repos", "repositories", "code", "workspace", "work"}
    | {"workspaces", "git", "github", "github.com", "gitlab.com", "dev", "sites", "www", "mnt", "media", "srv", "opt"}
    | {
        "var",
        "usr",
        "local",
        "share",
        "etc",
        "data",
        "vault",
        "obsidian",
        "private",
        "shared",
        "volumes",
        "root",
        "builds",
    }
)
"""Where people keep things; nothing but the beginning of an absolute path."""
_ROOMS = frozenset(
    {"src", "source", "sources", "lib", "libs", "include", "internal", "pkg", "packages", "app", "apps", "main", "java"}
    | {"tests", "test", "build", "dist", "out", "bin", "scripts", "reports", "plans", "summaries", "artifacts"}
    | {"resources", "assets", "static", "public", "site-packages"}
)
"""Folders that every project has: the name in front and what is below them count."""
_NUMBERED = re.compile(r"\d+[-_. ]+(?=\D)")
_VERSION = re.compile(r"[-_ ]?v?\d+(?:\.\d+)+$")
"""A dotted version at the end of a folder's name: `3.11.7`, `python3.11`, `requests-2.31.0`."""
_NO_NAME = re.compile(r"[\W_]+")
_SPELLED = {"c++": "cpp", "c#": "csharp", "f#": "fsharp"}


def topic_of_matches(topics: Iterable[str]) -> str:
    """The topic of the best match that has one; `topics` come best first."""
    return next(filter(None, map(topic_path, topics)), "")


def topic_of_path(path: str, project: str = "") -> str:
    """The topic that a file's folders name, empty where they name none.

    `…/notes/python/x.md` gives `python`, `…/project/src/utils/x.py` gives `project/utils`. A relative path lies in
    the project of that name.
    """
    folders = [part for part in path.replace("\\", "/").split("/")[:-1] if part not in ("", ".")]
    is_inside = not path.startswith("/") and path[1:2] != ":"
    shelf = max((i for i, folder in enumerate(folders) if _bare(folder) in _SHELVES), default=-1)
    if shelf >= 0:
        named = folders[shelf + 1 :]
    elif is_inside:
        named = folders
    else:
        named = _behind_places(folders)
    return "/".join(_names(named, project if is_inside and shelf < 0 else ""))


def _behind_places(folders: Sequence[str]) -> list[str]:
    """What is left of an absolute path behind the folders where people keep things."""
    rest = [folder for folder in folders if not folder.endswith(":")]
    while rest:
        first = rest[0].lower()
        if first in ("home", "users"):
            rest = rest[2:]
        elif first in ("tmp", "temp"):
            return rest[1:] if any(_bare(folder) in _ROOMS for folder in rest) else rest[1:][-1:]
        elif first in _PLACES or first.startswith("."):
            rest = rest[1:]
        else:
            break
    return rest


def _names(folders: Sequence[str], project: str) -> list[str]:
    """Names of a topic: the folder in front of the first room and all below, without the rooms."""
    room = next((i for i, folder in enumerate(folders) if _bare(folder) in _ROOMS), -1)
    kept = [project, *folders] if room == 0 else list(folders[max(room - 1, 0) :])
    named = [name for name in (_name(folder) for folder in kept if _bare(folder) not in _ROOMS) if name]
    return [name for i, name in enumerate(named) if i == 0 or name != named[i - 1]][:DEPTH]


def _bare(folder: str) -> str:
    return _NUMBERED.sub("", folder.lower(), count=1)


def _name(folder: str) -> str:
    """A folder as a name of a topic: lower case, letters and digits of any script, hyphens; no version."""
    bare = _VERSION.sub("", _bare(folder))
    return _SPELLED.get(bare) or _NO_NAME.sub("-", bare).strip("-")


def topic_of_words(text: str, language: str = "") -> str:
    """The topic whose domain words the text uses most, empty where no domain shows clearly.

    A domain shows where it is named outright, or by two different words of it; in a long text more is asked for. A
    name that is a common word too (`a web node`) counts as one word of it, unless it is written as a name.
    """
    counts: Counter[str] = Counter()
    for word in words(text[:_ENOUGH]):
        counts.update((word, *parts(word)))
    weights: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for word in counts.keys() & _TOPICS_OF.keys():
        for topic in _TOPICS_OF[word]:
            root = topic.partition("/")[0]
            weights[topic] += min(counts[word], _CAP)
            weights[root] += min(counts[word], _CAP)  # so that a name counts twice
            seen[root] += 2 if topic == root and _is_name(word, text) else 1
    spoken = LANGUAGE_TOPICS.get(language, language)
    if spoken in DOMAINS:
        weights[spoken] += 100
        seen[spoken] += 2
    total = counts.total()
    least = 2 if total < 60 else 3 if total < 300 else 4
    roots = [root for root in weights if "/" not in root and seen[root] >= 2 and weights[root] >= least]
    if not roots:
        return ""
    best = max(roots, key=lambda root: (weights[root], -_ORDER[root]))
    branches = [topic for topic in weights if topic.startswith(best + "/")]
    return max(branches, key=lambda topic: (weights[topic], -_ORDER[topic]), default=best)


def _is_name(word: str, text: str) -> bool:
    """Whether a word names its domain outright: it is no common word, or has a capital within a sentence."""
    return word not in EVERYDAY or bool(re.search(rf"\w[,;:]? {word.capitalize()}\b", text[:_ENOUGH]))


def topic_of_heading(heading: str) -> str:
    """The topic of a heading that names a domain outright, else empty."""
    said = words(heading)
    names = [word for word in said if len(said) == 1 or _is_name(word, heading)]
    named = [topic for word in names for topic in _TOPICS_OF.get(word, ()) if "/" not in topic]
    return topic_of_words(heading) or named[0] if named else ""


def _topics_of_words() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for topic, listed in DOMAINS.items():
        for word in listed.split():
            table[word] = (*table.get(word, ()), topic)
    return table


_TOPICS_OF = _topics_of_words()
_ORDER = {topic: number for number, topic in enumerate(DOMAINS)}
