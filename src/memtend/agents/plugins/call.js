import { spawn } from "node:child_process";

const COMMAND = "memtend";
const SECONDS = { prompt: 10, stop: 30, compact: 30 };

/** What a hook of memtend answers; nothing where it fails or takes too long: the agent is never held up. */
function hook(name, given) {
  return new Promise((resolve) => {
    let answer = "";
    const child = spawn(COMMAND, ["hook", name], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: SECONDS[name] * 1000,
      windowsHide: true,
    });
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (piece) => (answer += piece));
    child.on("close", () => resolve(answer));
    child.stdin.end(JSON.stringify(given));
  });
}

/** The memories that matter for a prompt, framed as data; empty where there are none. */
async function recalled(prompt, cwd, session) {
  const given = { hook_event_name: "UserPromptSubmit", prompt, cwd, session_id: session };
  try {
    return JSON.parse(await hook("prompt", given)).hookSpecificOutput.additionalContext ?? "";
  } catch {
    return "";
  }
}

/** Hand what the person said to memtend, which puts what is worth remembering into its inbox. */
async function capture(name, messages, cwd, session) {
  if (messages.length) await hook(name, { hook_event_name: name, messages, cwd, session_id: session });
}
