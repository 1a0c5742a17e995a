"""hook: what coding agents call by themselves; `memtend setup` registers it.

Each reads the agent's JSON from stdin and ends with status 0 whatever happens: an agent is never held up.
"""

from memtend.cli.call import Call, Command


def prompt(call: Call) -> int:
    """Add the memories that matter to a person's prompt.

    Answers with JSON that the agent adds to the prompt, at most 2,000 tokens of it; nothing relevant, no answer.
    """
    from memtend.agents.recall_hook import run

    return run(call.vault)


def stop(call: Call) -> int:
    """Put what the person said that is worth remembering into the inbox, at the end of a turn.

    At most three new lines a call, in the person's own words. Nothing becomes a memory before a person says so.
    """
    return _capture(call)


def compact(call: Call) -> int:
    """The same before an agent compacts its conversation."""
    return _capture(call)


def _capture(call: Call) -> int:
    from memtend.agents.capture_hook import run

    return run(call.vault)


COMMANDS = (
    Command("prompt", prompt, ("""echo '{"prompt": "add retries"}' | memtend hook prompt""",), "hook"),
    Command("stop", stop, ("""echo '{"transcript_path": "t.jsonl"}' | memtend hook stop""",), "hook"),
    Command("compact", compact, ("""echo '{"transcript_path": "t.jsonl"}' | memtend hook compact""",), "hook"),
)
