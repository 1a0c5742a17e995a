"""search and recall in full; their plain forms run in the fast lane with the same answers."""

from typing import Annotated

from memtend import frontmatter
from memtend.cli import fast
from memtend.cli.call import Call, Command
from memtend.cli.parameter import Argument, Option
from memtend.cli.screen import typed
from memtend.errors import Usage
from memtend.workspace import require_mode
from memtend.workspace.listing import day_of

Topic = Annotated[str, Option("--topic", metavar="PATH", help="Only this topic and those below it.")]
Category = Annotated[str, Option("--category", metavar="NAME", help="Only this category.")]
Tags = Annotated[
    list[str] | None,
    Option("--tag", "--tags", metavar="NAME", help="Only with this tag; several as a,b or by naming the option again."),
]
Since = Annotated[str | None, Option("--since", metavar="DAY", help="Only changed on that day or later: 2026-06-30.")]
Before = Annotated[str | None, Option("--before", metavar="DAY", help="Only changed before that day.")]
Mode = Annotated[str, Option("--mode", metavar="MODE", help="hybrid, lexical (by words) or semantic (by meaning).")]


def search(
    call: Call,
    *,
    query: Annotated[list[str], Argument(metavar="QUERY...", help="Plain words; - reads them from stdin.")],
    limit: Annotated[
        int | None, Option("-n", "--limit", metavar="N", min=1, help="The most hits; 5 unless set.")
    ] = None,
    mode: Mode = "hybrid",
    topic: Topic = "",
    category: Category = "",
    tags: Tags = None,
    since: Since = None,
    before: Before = None,
    explain: Annotated[bool, Option("--explain", help="Show what each score is made of.")] = False,
    all_: Annotated[bool, Option("--all", help="Retired memories too.")] = False,
) -> int:
    """Find memories by plain words. No character of the query is syntax.

    The exact id or title comes first. A day that is named (9 May, yesterday, last week) finds what was made then.
    Nothing found: exit status 1.
    """
    require_mode(mode)
    since, before = day_of(since or ""), day_of(before or "")
    workspace = call.workspace()
    text = _text(query)
    answer = workspace.search(
        text,
        limit,
        topic=topic,
        category=category,
        include_retired=all_,
        tags=sorted(wanted_tags(tags)),
        since=since,
        before=before,
        mode=mode,
    )
    if answer.hits:
        return fast.tell_found(answer, call.json, explain)
    filters = {"--topic": topic, "--category": category, "--tag": tags, "--since": since, "--before": before}
    given = [name for name, value in filters.items() if value]
    is_beside = given and workspace.search(text, 1, include_retired=all_, mode=mode).hits
    wider = "" if mode == "lexical" else fast.WIDER
    return fast.tell_found(
        answer, call.json, hint=f"Something answers without {', '.join(given)}." if is_beside else wider
    )


def recall(
    call: Call,
    *,
    text: Annotated[list[str], Argument(metavar="TEXT...", help="What is being done; - reads it from stdin.")],
    budget: Annotated[
        int | None, Option("--budget", metavar="TOKENS", min=1, help="Tokens to hand out; 2000 unless set.")
    ] = None,
    most: Annotated[int | None, Option("--max", metavar="N", min=1, help="The most memories; 5 unless set.")] = None,
) -> int:
    """Hand an agent the memories that matter.

    Counts that they were used. Prints them between <memory-context> and </memory-context>, most relevant first.
    Nothing relevant: no output and exit status 1. With --dry-run nothing is counted.
    """
    workspace = call.workspace()
    recalled = workspace.recall(_text(text), budget, most, is_counted=not call.dry_run)
    return fast.tell_recalled(recalled, call.json)


def wanted_tags(given: list[str] | None) -> set[str]:
    """The tags of `--tag a,b --tag '#c'`, by the rule that files follow (upper and lower case are one).

    Raises Usage for a value that names none.
    """
    found = {value: frontmatter.names(value) for value in given or ()}
    if nameless := [value for value, names in found.items() if not names]:
        raise Usage(f"--tag {nameless[0]!r} names no tag", hint="Give a name, or several as a,b.")
    return {name.casefold() for names in found.values() for name in names}


def _text(words: list[str]) -> str:
    return typed() if words == ["-"] else " ".join(words)


COMMANDS = (
    Command(
        "search",
        search,
        (
            "memtend search retry policy",
            "memtend search what did we decide on 9 May",
            'memtend search "why is the pool empty?" -n 3 --explain',
            "memtend search lock --topic postgres --json",
        ),
    ),
    Command(
        "recall",
        recall,
        (
            'memtend recall "add retries to the parcel client"',
            'echo "$PROMPT" | memtend recall - --budget 1000 --max 3',
        ),
    ),
)
