"""role: learnings and preferences that a role remembers, and their upkeep."""

from typing import Annotated, Unpack

from memtend.cli import role_actions as actions
from memtend.cli import role_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command
from memtend.cli.parameter import Option
from memtend.cli.role_options import (
    Category,
    Changing,
    Looking,
    Needle,
    Proving,
    Source,
    Storing,
    Tags,
    Texts,
    Words,
    Writing,
    opened,
    tags_of,
    text_of,
)
from memtend.errors import Cancelled


def list_(call: Call, **chosen: Unpack[Looking]) -> int:
    """List what a role remembers, with ids, and what is the matter with its files.

    Counts by tier and category, what is pending, parse issues by line, entries over 120 characters, and the share
    of learnings that were never used. Status 1 where part of a file cannot be read.
    """
    return actions.list_(opened(call, **chosen), call.json)


def search(
    call: Call,
    query: Texts,
    *,
    limit: Annotated[int, Option("--limit", "-n", metavar="N", min=1, help="At most so many hits.")] = 10,
    no_reinforce: Annotated[bool, Option("--no-reinforce", help="Only look: count and promote nothing.")] = False,
    **chosen: Unpack[Proving],
) -> int:
    """Find what a role remembers, best first.

    Afterwards learnings among the hits with a score of 0.5 and more count one use more, and pending ones are
    promoted: once an entry and session, and only where the query's own words stand in them.
    """
    workspace = opened(call, **chosen)
    return actions.search(workspace, call.json, text_of(query), limit, not no_reinforce and not call.dry_run)


def add_learning(
    call: Call,
    text: Texts,
    *,
    source: Source = "",
    tags: Tags = None,
    **chosen: Unpack[Storing],
) -> int:
    """Remember a learning at [0x].

    A copy is refused, also one that differs only in case, blanks or a final full stop.
    """
    workspace = opened(call, **chosen)
    return actions.add_learning(workspace, call.json, text_of(text), source=source, tags=tags_of(tags))


def add_preference(
    call: Call,
    text: Texts,
    *,
    category: Category = "",
    source: Source = "",
    tags: Tags = None,
    **chosen: Unpack[Storing],
) -> int:
    """Remember a preference.

    A copy in the same category is refused, also one that differs only in case, blanks or a final full stop.
    """
    workspace = opened(call, **chosen)
    return actions.add_preference(workspace, call.json, text_of(text), category, source=source, tags=tags_of(tags))


def update_learning(
    call: Call,
    needle: Needle,
    text: Words,
    **chosen: Unpack[Storing],
) -> int:
    """Give a learning another text; its count, tags and source stay."""
    workspace = opened(call, **chosen)
    answer = workspace.update_learning(needle, text_of(text))
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def update_preference(
    call: Call,
    needle: Needle,
    text: Words,
    *,
    category: Category = "",
    **chosen: Unpack[Storing],
) -> int:
    """Give a preference another text or category; its tags and source stay."""
    workspace = opened(call, **chosen)
    answer = workspace.update_preference(needle, text_of(text), category)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def delete_learning(call: Call, needle: Needle, **chosen: Unpack[Changing]) -> int:
    """Take out a learning that is wrong or no longer matters."""
    answer = opened(call, **chosen).delete_learning(needle)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def delete_preference(call: Call, needle: Needle, **chosen: Unpack[Changing]) -> int:
    """Take out a preference, after a yes."""
    workspace = opened(call, **chosen)
    entry = workspace.preference(needle)
    confirmed = call.yes or call.dry_run
    prompter = None if confirmed else call.prompter()
    if prompter is not None:
        if not prompter.confirm(f"Delete the preference “{entry.text}”?", default=False):
            raise Cancelled("Cancelled. Nothing was written.")
        confirmed = True
    answer = workspace.delete_preference(entry.id, confirmed=confirmed)
    call.answer(answer.to_json(), render.edited(answer))
    return DONE


def reinforce(
    call: Call,
    needle: Needle,
    **chosen: Unpack[Writing],
) -> int:
    """Count one more use of a learning, seen today."""
    return actions.reinforce(opened(call, **chosen), call.json, needle)


def promote(
    call: Call,
    needle: Needle,
    **chosen: Unpack[Writing],
) -> int:
    """Make a pending entry a learning at [0x], or a preference where it has a category."""
    answer = opened(call, **chosen).promote(needle)
    call.answer(answer.to_json(), render.resolved(answer))
    return DONE


def discard(call: Call, needle: Needle, **chosen: Unpack[Changing]) -> int:
    """Mark a pending entry as not worth keeping."""
    answer = opened(call, **chosen).discard(needle)
    call.answer(answer.to_json(), render.resolved(answer))
    return DONE


def expire(call: Call, **chosen: Unpack[Changing]) -> int:
    """Discard what has waited for more than seven days.

    Completes lines that a person wrote without id or date, and moves what was resolved more than thirty days ago to
    memory/archive.
    """
    answer = opened(call, **chosen).expire()
    call.answer(answer.to_json(), render.expired(answer))
    return FOUND_SOMETHING if answer.unknown else DONE


COMMANDS = (
    Command("list", list_, ("memtend role list --role zero", "memtend role list --json"), "role"),
    Command(
        "search",
        search,
        ("memtend role search guard clauses --role zero", "memtend role search cache --no-reinforce"),
        "role",
    ),
    Command("add_learning", add_learning, ('memtend role add_learning "Run the tests before you say done"',), "role"),
    Command(
        "add_preference",
        add_preference,
        ('memtend role add_preference "Answer in English" --category Communication',),
        "role",
    ),
    Command(
        "update_learning",
        update_learning,
        ('memtend role update_learning 0c5598bb85 "Use guard clauses early"',),
        "role",
    ),
    Command(
        "update_preference",
        update_preference,
        ('memtend role update_preference tabs "use spaces" --category Code',),
        "role",
    ),
    Command("delete_learning", delete_learning, ("memtend role delete_learning 0c5598bb85",), "role"),
    Command("delete_preference", delete_preference, ("memtend role delete_preference 2bb5523a80 --yes",), "role"),
    Command("reinforce", reinforce, ("memtend role reinforce 0c5598bb85",), "role"),
    Command("promote", promote, ("memtend role promote f20191b7e5",), "role"),
    Command("discard", discard, ("memtend role discard f20191b7e5",), "role"),
    Command("expire", expire, ("memtend role expire",), "role"),
)
