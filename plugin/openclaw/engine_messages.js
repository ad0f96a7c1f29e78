// Pure: messages as the context engine sends them, and what it does with them when nobody can be asked.
import { cut } from "./bounded.js";
import { turnKeyOf } from "./turn.js";
import { typedWords } from "./words.js";

const TEXT_CHARS = 32_000;
const RESULT_CHARS = 2000; // of what a tool answered the service only needs the size
const CHARS_A_TOKEN = 3.3;
const MESSAGE_TOKENS = 5;

/** What the service sees of messages: words, names of tools, sizes; never pictures. */
export function sentMessages(messages) {
  return messages.map(sent);
}

function sent(message) {
  const isUsers = message.role === "user";
  const { parts, omitted } = shortened(message);
  const key = isUsers ? turnKeyOf(message) : undefined;
  const sender = isUsers ? message.__openclaw?.senderId : undefined;
  return {
    role: String(message.role ?? "user"),
    content: isUsers && typeof message.content === "string" ? typedWords(cut(message.content, TEXT_CHARS)) : parts,
    ...(typeof message.timestamp === "number" && { at: new Date(message.timestamp).toISOString() }),
    ...(key && { turnKey: key }),
    ...(sender && { senderId: String(sender) }),
    ...(omitted > 0 && { omittedChars: omitted }),
  };
}

function shortened(message) {
  const limit = message.role === "user" || message.role === "assistant" ? TEXT_CHARS : RESULT_CHARS;
  if (typeof message.content === "string") {
    return { parts: cut(message.content, limit), omitted: Math.max(0, message.content.length - limit) };
  }
  let omitted = 0;
  const parts = (Array.isArray(message.content) ? message.content : []).map((part) => {
    const { kept, left } = shortPart(part, { limit, isUsers: message.role === "user" });
    omitted += left;
    return kept;
  });
  return { parts, omitted };
}

function shortPart(part, { limit, isUsers }) {
  const text = typeof part?.text === "string" ? part.text : undefined;
  if (text !== undefined) {
    const words = isUsers ? typedWords(cut(text, limit)) : cut(text, limit);
    return { kept: { type: "text", text: words }, left: Math.max(0, text.length - limit) };
  }
  const type = String(part?.type ?? "other");
  if (type === "toolCall") {
    return { kept: { type, name: String(part.name ?? "") }, left: JSON.stringify(part.arguments ?? {}).length };
  }
  if (type === "thinking") return { kept: { type, thinking: "" }, left: String(part.thinking ?? "").length };
  return { kept: { type }, left: 0 };
}

/** About what messages take in the model's context; the service counts closer. */
export function estimateTokens(messages) {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

function tokensOf(message) {
  const chars = typeof message.content === "string" ? message.content.length : JSON.stringify(message.content ?? "").length;
  return MESSAGE_TOKENS + Math.ceil(chars / CHARS_A_TOKEN);
}

/** The longest end of a conversation within a budget that begins with somebody speaking. */
export function fitting(messages, budget) {
  let used = 0;
  let begin = messages.length;
  for (let at = messages.length - 1; at >= 0; at--) {
    used += tokensOf(messages[at]);
    if (used > budget) break;
    if (messages[at].role === "user") begin = at;
  }
  return messages.slice(begin);
}
