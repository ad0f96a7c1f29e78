// From what the gateway tells of a run to one SessionRef. Pure: what has to be remembered between hooks is in runs.js.
//
// The gateway's facts this stands on:
// - All direct chats may share one session key, so the sender decides, never the key.
// - A turn without a sender still carries the chat of the last delivery (`openclaw agent` on a shared key shows the chat
//   of whoever wrote last), so a chat id alone is nobody's identity.
// - The HTTP endpoint calls every caller the owner, because all hold the same token: there the key tells users apart.

import { cut } from "./bounded.js";

const NAME_CHARS = 100;
const ROOMS = new Map([
  ["group", "group"],
  ["channel", "channel"],
  ["room", "channel"],
]);
const BY_FIRST_WORD = new Set(["subagent", "cron", "hook"]);
const HTTP = new Set(["openai", "openai-user", "openresponses", "openresponses-user"]);
const HTTP_RUN = /^(chatcmpl|resp)_/;
const MACHINE_INPUT = new Set(["inter_session", "internal_system"]);
const TRIGGERS = new Set(["user", "heartbeat", "cron", "boot", "memory"]);

/**
 * What a session key says by itself.
 * @param {string | undefined} sessionKey Such as `agent:main:telegram:group:-100:topic:7`.
 */
export function parseKey(sessionKey) {
  const parts = String(sessionKey ?? "").split(":");
  const [agentId, rest] = parts[0] === "agent" && parts.length > 2 ? [parts[1], parts.slice(2)] : [undefined, parts];
  const found = { agentId, kind: "other" };
  if (BY_FIRST_WORD.has(rest[0])) return { ...found, kind: rest[0] };
  if (HTTP.has(rest[0])) return { ...found, kind: "http", user: httpUser(rest) };
  return { ...found, ...chatOf(rest) };
}

function httpUser([surface, ...user]) {
  return (surface.endsWith("-user") && user.join(":")) || undefined;
}

/** Channel, perhaps account, then `direct`, `group` or `channel` and whom or where; a room may go on with its thread. */
function chatOf(rest) {
  const at = rest.findIndex((part, index) => index > 0 && (ROOMS.has(part) || part === "direct" || part === "dm"));
  if (at < 0) return {};
  if (!ROOMS.has(rest[at])) return { kind: "direct", channel: rest[0] };
  const end = rest.findIndex((part, index) => index > at + 1 && (part === "thread" || part === "topic"));
  const room = rest.slice(at + 1, end < 0 ? undefined : end).join(":");
  return { kind: ROOMS.get(rest[at]), channel: rest[0], room: room || undefined };
}

/** Whether the words of a run come from a program rather than from a person. */
export function isMachineInput(ctx) {
  return MACHINE_INPUT.has(ctx.inputProvenance?.kind) || String(ctx.runId ?? "").startsWith("announce:");
}

/** What started a run, in the service's words. */
export function triggerOf(ctx, key = parseKey(ctx.sessionKey)) {
  if (key.kind === "subagent") return "subagent";
  if (key.kind === "cron") return "cron";
  const trigger = ctx.trigger ?? "user";
  return TRIGGERS.has(trigger) ? trigger : "memory";
}

/**
 * The SessionRef of a run.
 * @param {object} ctx Context of a hook: sessionKey, agentId, senderId, channel, chatId, trigger...
 * @param {object} known
 * @param {object} [known.entry] The gateway's session entry.
 * @param {boolean} [known.isOwner] `senderIsOwner` as the same run's tool factory was told; undefined when it wasn't asked.
 * @param {boolean} [known.isGroup] What the message's dispatch said.
 * @param {string} [known.senderName] The sender's name, where a message told it.
 * @param {object} [known.parent] SessionRef of the run that started this subagent.
 * @param {{ timezone?: string }} [known.settings] The setting `userId` doesn't go in: it names the owner, not whoever speaks.
 */
export function sessionRef(ctx, known = {}) {
  const key = parseKey(ctx.sessionKey);
  const isSpawned = Boolean(known.entry?.spawnedBy) && !ctx.senderId;
  const trigger = isSpawned ? "subagent" : triggerOf(ctx, key);
  const base = clean({
    agentId: ctx.agentId ?? key.agentId,
    sessionKey: ctx.sessionKey,
    sessionId: ctx.sessionId,
    timezone: known.settings?.timezone,
    trigger,
  });
  if (trigger === "subagent") return { ...base, ...ofParent(known) };
  const chatType = chatTypeOf(key, known);
  return clean({
    ...base,
    ...personOf(ctx, key, known),
    chatType,
    chatId: chatType === "direct" ? undefined : (key.room ?? ctx.chatId),
    senderName: known.senderName,
  });
}

function personOf(ctx, key, known) {
  if (key.kind === "http") return { channel: "http", senderId: key.user, isOwner: false };
  const isOwner = ownerOf(ctx, key, known);
  // The web chat's id for its operator is a role, not a name that anybody wants to read.
  const senderId = isOperator(ctx) ? undefined : ctx.senderId;
  return { channel: channelOf(ctx, key, isOwner), senderId, isOwner };
}

/** A subagent reads what its parent's person reads; a parent that isn't known leaves it without a person. */
function ofParent({ entry, parent }) {
  const { channel, chatType, chatId, senderId, senderName, isOwner, sessionKey } = parent ?? {};
  return clean({
    channel,
    chatType,
    chatId,
    senderId,
    senderName,
    isOwner: isOwner === true,
    parentSessionKey: sessionKey ?? entry?.parentSessionKey ?? entry?.spawnedBy,
  });
}

/** The most public of what key, dispatch and session entry say: one sign of a room is enough to keep private memory out. */
function chatTypeOf(key, { entry, isGroup }) {
  if (key.kind === "group" || key.kind === "channel") return key.kind;
  if (ROOMS.has(entry?.chatType)) return ROOMS.get(entry.chatType);
  return isGroup ? "group" : "direct";
}

function ownerOf(ctx, key, { isOwner }) {
  if (key.kind === "hook" || HTTP_RUN.test(ctx.runId ?? "")) return false;
  if (isMachineInput(ctx) || triggerOf(ctx, key) !== "user") return false;
  if (isOperator(ctx)) return true;
  return isOwner === true;
}

/** The operator's own web chat; another channel may have a sender of that name. */
function isOperator(ctx) {
  return ctx.senderId === "gateway-client" && (ctx.channel ?? ctx.messageProvider) === "webchat";
}

/** A run without a sender shows the channel of an earlier message, which says nothing of the one who speaks. */
function channelOf(ctx, key, isOwner) {
  if (ctx.senderId) return ctx.channel ?? ctx.messageProvider ?? key.channel;
  return isOwner ? "cli" : key.channel;
}

/** What is known, as the service takes it: texts that aren't blank, names no longer than a line. */
function clean(object) {
  const known = Object.entries(object).map(([name, value]) => [
    name,
    typeof value === "number" ? String(value) : value,
  ]);
  const shown = known.map(([name, value]) => [
    name,
    name === "senderName" ? cut(String(value ?? "").trim(), NAME_CHARS) : value,
  ]);
  return Object.fromEntries(
    shown.filter(([, value]) => value !== undefined && value !== null && String(value).trim() !== ""),
  );
}

/** A hook's view of a tool context, so that both make the same SessionRef. */
export function toolContext(ctx) {
  return {
    agentId: ctx.agentId,
    sessionKey: ctx.sessionKey,
    sessionId: ctx.sessionId,
    channel: ctx.messageChannel,
    chatId: ctx.nativeChannelId,
    senderId: ctx.requesterSenderId,
    trigger: "user",
  };
}
