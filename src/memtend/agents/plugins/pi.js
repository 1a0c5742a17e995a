export default function (pi) {
  const sessionOf = (ctx) => ctx.sessionManager?.getSessionId?.() ?? "";

  const handOn = (name) => async (event, ctx) => {
    const messages = event.messages ?? (event.branchEntries ?? []).map((entry) => entry.message);
    const said = messages.filter((message) => message?.role === "user");
    await capture(name, said, ctx.cwd, sessionOf(ctx));
  };

  pi.on("before_agent_start", async (event, ctx) => {
    const content = await recalled(event.prompt, ctx.cwd, sessionOf(ctx));
    return content ? { message: { customType: "memtend", content, display: false } } : undefined;
  });
  pi.on("agent_end", handOn("stop"));
  pi.on("session_before_compact", handOn("compact"));
}
