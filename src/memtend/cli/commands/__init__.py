"""The commands: each module lists its own in `COMMANDS`.

A command is a function `(call, …) -> exit status`; its signature says what it takes (`Annotated[type, Option(…)]`, see
`parameter`), its docstring is its help. To add one, write it into a module here, list it in `COMMANDS`, and name the
module in `HOMES`. Nothing else has to know of it: `plain` reads plain command lines by the signature, Typer all others.
"""

HOMES: dict[str, tuple[str, ...]] = {
    "apply": ("learn",),
    "category": ("category",),
    "check": ("vault",),
    "distill": ("distill",),
    "forget": ("distill",),
    "harvest": ("learn",),
    "hook": ("hook",),
    "index": ("vault",),
    "init": ("vault",),
    "learn": ("learn",),
    "links": ("look",),
    "list": ("look",),
    "log": ("past",),
    "mcp": ("mcp",),
    "recall": ("find",),
    "restore": ("distill",),
    "role": ("role", "role_files", "role_upkeep"),
    "search": ("find",),
    "serve": ("serve",),
    "setup": ("setup",),
    "show": ("look",),
    "status": ("vault",),
    "undo": ("past",),
    "watch": ("watch",),
}
"""By the first word of a command line, the modules that list its commands, so that the others need not be loaded."""
