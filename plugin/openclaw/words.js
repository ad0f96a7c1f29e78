// What of a message somebody said. The gateway stores words and prompt dressing in one text; the service cleans again.
const CURRENT = "[Current message - respond to this]";
const TASK = "\n\n[Subagent Task]\n"; // on a line of its own: the sentence before it names it too
const TASK_END = "\n\nBegin. Execute the assigned task to completion.";
const STAMP = /^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]{0,40}\] /;
const SPEAKER = /^[^\s:][^:\n]{0,79}: /;
const COMMAND = /^\/[a-z][\w-]*(?=\s|:|$)/i;

/** The text parts of a stored message, without thinking, tool traffic and running commentary. */
export function textOf(message) {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => part?.type === "text" && typeof part.text === "string" && !isCommentary(part))
    .map((part) => part.text)
    .join("\n");
}

function isCommentary(part) {
  return typeof part.textSignature === "string" && part.textSignature.includes('"phase":"commentary"');
}

/** Names of what came with a message besides text; never its bytes. */
export function mediaOf(message) {
  if (!Array.isArray(message?.content)) return [];
  return message.content
    .filter((part) => part && part.type !== "text" && !String(part.type).startsWith("tool"))
    .map((part) => part.fileName ?? part.filename ?? part.name)
    .filter((name) => typeof name === "string" && name.trim())
    .slice(0, 20)
    .map((name) => name.slice(0, 200));
}

/**
 * The words the person typed.
 * @param {string} text A prompt or a stored user message.
 * @param {string} [injected] What this plugin put before it, for hosts that store the prompt as it was sent.
 */
export function typedWords(text, injected) {
  let words = String(text ?? "");
  if (injected) words = words.replaceAll(injected, "");
  words = words.trim().replace(STAMP, "");
  const current = words.lastIndexOf(CURRENT);
  // Earlier messages of a room or of an HTTP request stand before the marker, each with its speaker.
  if (current >= 0)
    words = words
      .slice(current + CURRENT.length)
      .trimStart()
      .replace(SPEAKER, "");
  return (words.startsWith("[Subagent Context]") ? taskOf(words) : words).trim();
}

/** What a subagent is to do, without the gateway's directions around it. */
function taskOf(words) {
  const begin = words.indexOf(TASK);
  if (begin < 0) return words;
  const task = words.slice(begin + TASK.length);
  const end = task.lastIndexOf(TASK_END);
  return end < 0 ? task : task.slice(0, end);
}

/** Whether a text is a slash command; a path such as `/home/ada` isn't. */
export function isCommand(text) {
  return COMMAND.test(String(text ?? "").trim());
}
