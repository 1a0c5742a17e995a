"""The vault in an agent's hands: an MCP server over stdio and HTTP, and the same abilities as REST.

    arguments  what a tool may be given, and how what clients really send is read
    answers    pages and pieces of a size that clients take
    forms      proposals as a form for a person, and back as decisions
    desk       what is served: workspaces for several threads, and plans that wait for an answer
    resident   a workspace that need not look at every file each time; `watcher` asks the system what has changed
    tool       what a tool is
    tools      the table of them; reading, writing, tending, roles, categories and older clients in modules of their own
    server     the official SDK around it: tools, resources, prompts, asking, cancelling
    sieve      what comes in over stdio and is no message

Only `server`, `sieve` and `http` know the SDK; everything else is plain values and loads without it.
"""
