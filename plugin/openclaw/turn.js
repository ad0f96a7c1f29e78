// Pure: from the messages a hook is given to what recall and capture send.
import { cut } from "./bounded.js";
import { parseKey } from "./identity.js";
import { isCommand, mediaOf, textOf, typedWords } from "./words.js";

const TEXT_CHARS = 32_000;
const QUERY_CHARS = 8000;
const TOOLS = 20;
const TOOL_NAME_CHARS = 64;
const TOOL_SUMMARY_CHARS = 120;
const KEY_CHARS = 200;
const FAILED = new Set(["error", "aborted"]);
const SILENT = /^\s*(NO_REPLY|HEARTBEAT_OK)\s*$/;
const OWN_TOOLS = /^(memory|nightshift|creative)_/;

const MACHINE_INPUT = new Set(["inter_session", "internal_system"]);

const meta = (message) => message?.__openclaw ?? {};

const isMachineMade = (message) => MACHINE_INPUT.has(message.provenance?.kind);

/** Whether a stored user message was written by the one who speaks in this session. */
function isBy(message, session) {
  const { senderId, senderIsOwner, transport } = meta(message);
  if (session.channel === "http" || session.trigger === "subagent") return true;
  if (!senderId) return session.isOwner === true && senderIsOwner === true;
  return senderId === session.senderId && (transport?.channel ?? session.channel) === session.channel;
}

/**
 * What the same person said before and was answered, out of a history that several may share.
 * @param {object[]} messages The history before this turn.
 * @param {object} session SessionRef of the turn.
 * @returns {{ previousUser?: string, lastAssistant?: string }}
 */
export function previousExchange(messages, session) {
  const history = Array.isArray(messages) ? messages : [];
  for (let at = history.length - 1; at >= 0; at--) {
    const message = history[at];
    if (message?.role !== "user" || isMachineMade(message) || !isBy(message, session)) continue;
    const words = typedWords(textOf(message));
    if (!words || isCommand(words)) continue;
    const next = history.findIndex((later, index) => index > at && later?.role === "user");
    const answer = finalAnswer(history.slice(at + 1, next < 0 ? undefined : next));
    return { previousUser: cut(words, QUERY_CHARS), ...(answer && { lastAssistant: cut(answer, QUERY_CHARS) }) };
  }
  return {};
}

/** The body of a recall, or undefined when there is nothing to ask with. */
export function recallRequest(event, { session, at }) {
  const text = typedWords(event.prompt);
  if (!text || isCommand(text)) return undefined;
  return { session, message: { text: cut(text, QUERY_CHARS), at }, ...previousExchange(event.messages, session) };
}

/**
 * The exchanges of a finished run, each a turn of its own: a message that arrived while the run went on stands in it
 * too, and may come from somebody else.
 * @param {{ messages?: object[], runId?: string }} event Of `agent_end`; holds the history as well.
 * @param {{ session: object, context?: string, historyLength?: number }} run
 * @returns {object[]} Bodies for `POST /v1/turns`; half turns are left out.
 */
export function exchanges(event, run) {
  const messages = Array.isArray(event.messages) ? event.messages : [];
  const turns = [];
  let start = firstOfRun(messages, run.historyLength ?? 0);
  for (let number = 0; start >= 0 && start < messages.length; number++) {
    const next = messages.findIndex((message, index) => index > start && message?.role === "user");
    const end = next < 0 ? messages.length : next;
    const turn = turnOf(messages[start], { rest: messages.slice(start + 1, end), run, runId: event.runId, number });
    if (turn) turns.push(turn);
    start = next;
  }
  return turns;
}

/**
 * Where the run's own messages begin: behind the history it was given, unless that was compacted meanwhile. The gateway
 * marks what it has stored; of a run only the message that started it has no mark yet.
 */
function firstOfRun(messages, historyLength) {
  const stored = messages.findLastIndex((message) => message?.role !== "user" && meta(message).runId !== undefined) + 1;
  const tail = Math.max(stored, historyLength < messages.length ? historyLength : 0);
  const isUser = (message, index) => index >= tail && message?.role === "user";
  const fresh = messages.findLastIndex((message, index) => isUser(message, index) && !message.__openclaw);
  return fresh >= 0 ? fresh : messages.findLastIndex(isUser);
}

function turnOf(message, { rest, run, runId, number }) {
  const text = typedWords(textOf(message), run.context);
  const answer = finalAnswer(rest);
  if (!text || !answer || SILENT.test(answer) || isCommand(text) || isMachineMade(message)) return undefined;
  const session = speakerOf(message, run.session);
  if (!session) return undefined;
  const media = mediaOf(message);
  const tools = toolsOf(rest);
  return {
    session,
    turnKey: turnKey(message, { runId, number }),
    at: new Date(typeof message.timestamp === "number" ? message.timestamp : Date.now()).toISOString(),
    user: { text: cut(text, TEXT_CHARS), ...(media.length && { media }) },
    assistant: { text: cut(answer, TEXT_CHARS) },
    ...(tools.length && { tools }),
  };
}

/**
 * The run's person, unless the gateway marked the message: then it arrived while the run went on, from whoever the mark
 * names. Undefined when that can't be told apart from a room's words.
 */
function speakerOf(message, session) {
  if (!message.__openclaw) return session;
  const { senderId, senderName, senderIsOwner, transport } = meta(message);
  const isMixed = session.chatType !== "direct" && !parseKey(session.sessionKey).room;
  if (isMixed && senderId !== session.senderId) return undefined;
  const { senderId: _, senderName: __, channel: ___, ...rest } = session;
  const isOwner = senderIsOwner === true && session.channel !== "http";
  const channel = transport?.channel ?? (senderId ? session.channel : isOwner ? "webchat" : undefined);
  return {
    ...rest,
    ...(channel && { channel }),
    ...(senderId && { senderId }),
    ...(senderName && { senderName }),
    isOwner,
  };
}

/** The same for every attempt at a message: the gateway's own key of the user's entry, else the run. */
function turnKey(message, { runId, number }) {
  return turnKeyOf(message) ?? `${runId ?? `at-${message.timestamp}`}:user${number ? `:${number}` : ""}`.slice(0, KEY_CHARS);
}

/** The gateway's own key of a user's entry; undefined where it gave none. */
export function turnKeyOf({ idempotencyKey }) {
  return typeof idempotencyKey === "string" && idempotencyKey ? idempotencyKey.slice(0, KEY_CHARS) : undefined;
}

/** The last thing said, unless the run ended in an error: then nothing was. */
function finalAnswer(messages) {
  const last = messages.findLast((message) => message?.role === "assistant");
  if (!last || FAILED.has(last.stopReason)) return "";
  return textOf(messages.findLast((message) => message?.role === "assistant" && textOf(message).trim())).trim();
}

function toolsOf(messages) {
  const failed = new Set(
    messages
      .filter((message) => message?.role === "toolResult" && message.isError)
      .map((message) => message.toolCallId),
  );
  const calls = messages
    .filter((message) => message?.role === "assistant" && Array.isArray(message.content))
    .flatMap((message) => message.content)
    .filter((part) => part?.type === "toolCall");
  return calls
    .map((call) => ({ ...namedCall(call), failed: failed.has(call.id) }))
    .filter(({ name }) => name && !OWN_TOOLS.test(name))
    .slice(0, TOOLS)
    .map(({ name, args, failed: isFailed }) => ({
      name: name.slice(0, TOOL_NAME_CHARS),
      summary: cut(`${isFailed ? "failed: " : ""}${brief(args)}`, TOOL_SUMMARY_CHARS),
    }));
}

/** A tool reached through the gateway's tool search goes by its own name. */
function namedCall({ name, arguments: args }) {
  return name === "tool_call" && typeof args?.id === "string" ? { name: args.id, args: args.args } : { name, args };
}

function brief(args) {
  if (typeof args !== "object" || args === null) return "";
  return Object.entries(args)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([key, value]) => `${key}=${cut(String(value).replace(/\s+/g, " "), 60)}`)
    .join(" ");
}
