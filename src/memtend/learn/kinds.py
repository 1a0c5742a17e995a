"""What a file holds, by its name and, failing that, by its first bytes."""

from pathlib import PurePosixPath
from typing import Literal, NamedTuple

Kind = Literal["markdown", "prose", "code"]


class Nature(NamedTuple):
    """How a document is cut: its kind and, for code, its language (lower case)."""

    kind: Kind
    language: str = ""


_MARKDOWN = "md markdown mdown mkd mkdn mdx qmd rmd"
_PROSE = "txt text rst adoc asciidoc org textile wiki tex bib log csv tsv srt po"
_LANGUAGES = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx ipp inl",
    "lua": "lua",
    "bash": "sh bash zsh ksh bats",
    "fish": "fish",
    "ruby": "rb rake gemspec",
    "php": "php",
    "perl": "pl pm",
    "csharp": "cs",
    "fsharp": "fs fsx",
    "kotlin": "kt kts",
    "scala": "scala sbt",
    "swift": "swift",
    "dart": "dart",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "clojure": "clj cljs cljc edn",
    "lisp": "lisp el scm rkt",
    "julia": "jl",
    "r": "r",
    "zig": "zig",
    "nim": "nim",
    "lean": "lean",
    "sql": "sql",
    "powershell": "ps1 psm1",
    "batch": "bat cmd",
    "vim": "vim",
    "nix": "nix",
    "terraform": "tf tfvars hcl",
    "proto": "proto",
    "graphql": "graphql gql",
    "html": "html htm xhtml",
    "xml": "xml xsl xsd svg",
    "css": "css scss sass less",
    "vue": "vue",
    "svelte": "svelte",
    "json": "json jsonc json5 jsonl ndjson",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf cnf properties env editorconfig",
    "make": "mk mak",
    "cmake": "cmake",
    "gradle": "gradle",
    "diff": "diff patch",
}
_NAMES = {
    "makefile": Nature("code", "make"),
    "gnumakefile": Nature("code", "make"),
    "dockerfile": Nature("code", "dockerfile"),
    "containerfile": Nature("code", "dockerfile"),
    "justfile": Nature("code", "make"),
    "rakefile": Nature("code", "ruby"),
    "gemfile": Nature("code", "ruby"),
    "cmakelists.txt": Nature("code", "cmake"),
    "readme": Nature("prose"),
    "license": Nature("prose"),
    "changelog": Nature("prose"),
    "notice": Nature("prose"),
    "authors": Nature("prose"),
}
_INTERPRETERS = (
    ("python", "python"),
    ("node", "javascript"),
    ("deno", "typescript"),
    ("lua", "lua"),
    ("fish", "fish"),
    ("ruby", "ruby"),
    ("perl", "perl"),
    ("sh", "bash"),  # last: also the end of bash, zsh, dash
)


def _by_extension() -> dict[str, Nature]:
    table = {extension: Nature("markdown", "markdown") for extension in _MARKDOWN.split()}
    table |= {extension: Nature("prose") for extension in _PROSE.split()}
    for language, extensions in _LANGUAGES.items():
        table |= {extension: Nature("code", language) for extension in extensions.split()}
    return table


_EXTENSIONS = _by_extension()


def nature_of_name(name: str) -> Nature | None:
    """What a file of this name holds, or None where the name does not say (it may still be text)."""
    lower = PurePosixPath(name).name.lower()
    return _NAMES.get(lower) or _EXTENSIONS.get(lower.rpartition(".")[2] if "." in lower else "")


def nature_of_text(text: str) -> Nature:
    """What a text without a telling name holds: a script by its first line, Markdown by its marks, else prose."""
    first = text.partition("\n")[0]
    if first.startswith("#!"):
        words = first.replace("/", " ").split()
        for name, language in _INTERPRETERS:
            if any(name in word for word in words):
                return Nature("code", language)
        return Nature("code")
    return Nature("markdown", "markdown") if _has_marks(text) else Nature("prose")


def _has_marks(text: str) -> bool:
    """Whether a line is an ATX heading or opens a fence: what plain prose has no use for."""
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")) or (
            line.startswith("#") and line.lstrip("#")[:1] == " " and line[:7].count("#") <= 6
        ):
            return True
    return False
