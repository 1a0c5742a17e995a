/** What was said in each session since it was last handed on. */
function listener() {
  const said = new Map();
  return {
    hear: (session, content) => said.set(session, [...(said.get(session) ?? []), { role: "user", content }]),
    hand: async (name, session, cwd) => {
      const messages = said.get(session) ?? [];
      said.delete(session);
      await capture(name, messages, cwd, session);
    },
  };
}

/** OpenCode 1: hooks by name. */
async function server({ directory }) {
  const heard = listener();
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      const prompt = texts.join("\n");
      if (!prompt.trim()) return;
      heard.hear(sessionID, prompt);
      const text = await recalled(prompt, directory, sessionID);
      const id = `prt_memtend${Date.now().toString(36)}`;
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await heard.hand("stop", event.properties.sessionID, directory);
    },
    "experimental.session.compacting": ({ sessionID }) => heard.hand("compact", sessionID, directory),
  };
}

const ENDS = new Set(["session.idle", "session.execution.succeeded", "session.execution.failed"]);

/** OpenCode 2: hooks are registered; memories stand in the system prompt until the next prompt. */
async function setup(ctx) {
  const heard = listener();
  const memories = new Map();

  async function directoryOf(sessionID) {
    const found = await ctx.session.get({ sessionID }).catch(() => undefined);
    return (found?.data ?? found)?.location?.directory ?? process.cwd();
  }

  async function handOnAtTheEnd() {
    for await (const event of ctx.event.subscribe()) {
      const session = event.data?.sessionID ?? event.properties?.sessionID;
      if (session && ENDS.has(event.type)) await heard.hand("stop", session, await directoryOf(session));
    }
  }

  await ctx.session.hook("prompt", async ({ sessionID, prompt }) => {
    if (!prompt.text?.trim()) return;
    heard.hear(sessionID, prompt.text);
    memories.set(sessionID, await recalled(prompt.text, await directoryOf(sessionID), sessionID));
  });
  await ctx.session.hook("context", ({ sessionID, system }) => {
    const text = memories.get(sessionID);
    if (text) system.push({ type: "text", text });
  });
  await ctx.session.hook("compaction", async ({ sessionID }) => {
    await heard.hand("compact", sessionID, await directoryOf(sessionID));
  });
  handOnAtTheEnd().catch(() => {});
}

export default { id: "memtend", server, setup };
