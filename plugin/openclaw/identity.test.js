// The contexts below have the shapes of the real gateway (openclaw 2026.9.6), fields that don't matter left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseKey, sessionRef } from "./identity.js";
import { Runs } from "./runs.js";

const MAIN = "agent:main:main";
const webChat = { runId: "run-1", agentId: "main", sessionKey: MAIN, sessionId: "s-1", trigger: "user", channel: "webchat", messageProvider: "webchat", channelId: MAIN, chatId: MAIN, senderId: "gateway-client" };
const direct = { ...webChat, runId: "run-2", channel: "rigchat", messageProvider: "rigchat", accountId: "default", channelId: "bob", chatId: "bob", senderId: "bob" };
const group = { ...direct, runId: "run-3", sessionKey: "agent:main:rigchat:group:room1", channelId: "room1", chatId: "room1" };
// `openclaw agent` on a shared session: no sender, and the chat of whoever wrote there last.
const commandLine = { ...direct, runId: "run-4", senderId: undefined };
const http = { ...webChat, runId: "chatcmpl_1", sessionKey: "agent:main:openai-user:carol", channelId: "webchat", chatId: "webchat", senderId: undefined };

for (const [key, wanted] of [
  [MAIN, { agentId: "main", kind: "other" }],
  ["agent:ops:telegram:direct:42", { agentId: "ops", kind: "direct", channel: "telegram" }],
  ["agent:ops:telegram:work:direct:42", { agentId: "ops", kind: "direct", channel: "telegram" }],
  ["agent:main:telegram:group:-100:topic:7", { agentId: "main", kind: "group", channel: "telegram", room: "-100" }],
  ["agent:main:discord:channel:9:thread:8", { agentId: "main", kind: "channel", channel: "discord", room: "9" }],
  ["agent:main:matrix:group:!a:server.org", { agentId: "main", kind: "group", channel: "matrix", room: "!a:server.org" }],
  ["agent:main:openai-user:c:d", { agentId: "main", kind: "http", user: "c:d" }],
  ["agent:main:openai:5f", { agentId: "main", kind: "http", user: undefined }],
  ["agent:main:subagent:x:subagent:y", { agentId: "main", kind: "subagent" }],
  ["agent:main:cron:job:run:1", { agentId: "main", kind: "cron" }],
  ["cron:job", { agentId: undefined, kind: "cron" }],
  ["hook:5f", { agentId: undefined, kind: "hook" }],
  [undefined, { agentId: undefined, kind: "other" }],
]) {
  test(`the key ${key} is read`, () => assert.deepEqual(parseKey(key), wanted));
}

/** A run whose tools were made with `senderIsOwner` before its prompt, as the gateway does. */
function begun(ctx, senderIsOwner, { entry, runs = new Runs() } = {}) {
  if (senderIsOwner !== undefined) {
    runs.noteFactory({ sessionKey: ctx.sessionKey, requesterSenderId: ctx.senderId, messageChannel: ctx.channel, senderIsOwner });
  }
  return runs.begin(ctx, { entry }).session;
}

test("the web chat's operator is the owner, also when no tool was made", () => {
  const session = begun(webChat, undefined);
  assert.deepEqual(session, { agentId: "main", sessionKey: MAIN, sessionId: "s-1", trigger: "user", channel: "webchat", senderId: "gateway-client", chatType: "direct", isOwner: true });
});

test("somebody who calls himself gateway-client on a channel isn't the owner", () => {
  assert.equal(begun({ ...direct, senderId: "gateway-client" }, false).isOwner, false);
});

test("a sender in a shared session is that sender and nobody else", () => {
  const session = begun(direct, false, { entry: { chatType: "direct" } });
  assert.deepEqual([session.senderId, session.channel, session.isOwner, session.chatType, session.chatId], ["bob", "rigchat", false, "direct", undefined]);
});

test("a sender whom the gateway knows as owner is the owner", () => {
  assert.equal(begun(direct, true).isOwner, true);
});

test("the owner's evidence serves one run and only while it is fresh", () => {
  let now = 0;
  const runs = new Runs({ now: () => now });
  assert.equal(begun(commandLine, true, { runs }).isOwner, true);
  assert.equal(begun({ ...commandLine, runId: "run-5" }, undefined, { runs }).isOwner, false);
  runs.noteFactory({ sessionKey: MAIN, senderIsOwner: true });
  now = 31_000;
  assert.equal(begun({ ...commandLine, runId: "run-6" }, undefined, { runs }).isOwner, false);
});

test("the owner's evidence never reaches another sender of the session", () => {
  const runs = new Runs();
  runs.noteFactory({ sessionKey: MAIN, requesterSenderId: "ada", senderIsOwner: true });
  assert.equal(runs.begin(direct).session.isOwner, false);
});

test("a second attempt of a run stays the same person", () => {
  const runs = new Runs();
  const first = begun(commandLine, true, { runs });
  assert.equal(runs.begin(commandLine).session, first);
});

test("a command line run of the owner doesn't take over the last visitor's chat", () => {
  const session = begun(commandLine, true);
  assert.deepEqual([session.isOwner, session.senderId, session.chatId, session.channel], [true, undefined, undefined, "cli"]);
});

test("a turn without sender and without evidence has no person", () => {
  const session = begun(commandLine, false);
  assert.deepEqual([session.isOwner, session.senderId, session.chatId, session.channel], [false, undefined, undefined, undefined]);
});

test("a group is its room, with the one who speaks", () => {
  const session = begun(group, false, { entry: { chatType: "group" } });
  assert.deepEqual([session.chatType, session.chatId, session.senderId, session.channel], ["group", "room1", "bob", "rigchat"]);
});

test("one sign of a room is enough: key, session entry or dispatch", () => {
  assert.equal(begun(group, false).chatType, "group");
  assert.equal(begun({ ...direct, chatId: "room1" }, false, { entry: { chatType: "group" } }).chatType, "group");
  assert.equal(begun({ ...group }, true, { entry: { chatType: "direct" } }).chatType, "group");
  const runs = new Runs();
  runs.noteMessage({ sessionKey: MAIN, senderId: "bob", isGroup: true }, {});
  const session = begun({ ...direct, chatId: "room1" }, false, { runs, entry: { chatType: "direct" } });
  assert.deepEqual([session.chatType, session.chatId], ["group", "room1"]);
  assert.equal(begun({ ...direct, runId: "run-7" }, false, { runs }).chatType, "direct");
});

test("each user of the HTTP endpoint is a person, though the gateway calls all of them the owner", () => {
  const session = begun(http, true);
  assert.deepEqual([session.isOwner, session.senderId, session.channel], [false, "carol", "http"]);
  const nobody = begun({ ...http, sessionKey: "agent:main:openai:5f" }, true);
  assert.deepEqual([nobody.isOwner, nobody.senderId], [false, undefined]);
  const borrowed = begun({ ...http, sessionKey: MAIN }, true);
  assert.deepEqual([borrowed.isOwner, borrowed.senderId], [false, undefined]);
});

test("cron, heartbeat, web hooks and announcements are nobody's words", () => {
  const cron = begun({ ...commandLine, sessionKey: "agent:main:cron:j:run:1", trigger: "cron" }, true);
  assert.deepEqual([cron.trigger, cron.isOwner], ["cron", false]);
  const heartbeat = begun({ ...commandLine, trigger: "heartbeat", inputProvenance: { kind: "internal_system" } }, true);
  assert.deepEqual([heartbeat.trigger, heartbeat.isOwner], ["heartbeat", false]);
  assert.equal(begun({ ...commandLine, sessionKey: "hook:5f" }, true).isOwner, false);
  assert.equal(begun({ ...commandLine, trigger: "something-new" }, true).trigger, "memory");
  const announced = new Runs().begin({ ...commandLine, runId: "announce:v1:agent:main:subagent:x:y", inputProvenance: { kind: "inter_session" } });
  assert.deepEqual([announced.isMachine, announced.session.isOwner], [true, false]);
});

test("a subagent is the person who started it, also two levels down", () => {
  const runs = new Runs();
  begun(direct, false, { runs });
  const child = { ...commandLine, runId: "run-8", sessionKey: "agent:main:subagent:x" };
  runs.noteSpawn(child.sessionKey, MAIN);
  const session = begun(child, false, { runs, entry: { spawnedBy: MAIN, parentSessionKey: MAIN } });
  assert.deepEqual([session.trigger, session.senderId, session.channel, session.parentSessionKey], ["subagent", "bob", "rigchat", MAIN]);
  const grandchild = { ...child, runId: "run-9", sessionKey: "agent:main:subagent:x:subagent:y" };
  runs.noteSpawn(grandchild.sessionKey, child.sessionKey);
  assert.equal(begun(grandchild, false, { runs }).senderId, "bob");
});

test("a subagent started by an announcement has no person, whoever spoke there before", () => {
  const runs = new Runs();
  begun(webChat, true, { runs });
  begun({ ...commandLine, runId: "announce:v1:x", inputProvenance: { kind: "inter_session" } }, false, { runs });
  runs.noteSpawn("agent:main:subagent:z", MAIN);
  const session = begun({ ...commandLine, runId: "run-10", sessionKey: "agent:main:subagent:z" }, false, { runs, entry: { spawnedBy: MAIN } });
  assert.deepEqual([session.trigger, session.senderId, session.isOwner, session.parentSessionKey], ["subagent", undefined, false, MAIN]);
});

test("a tool call is the run's person, and without a run what its own context shows", () => {
  const runs = new Runs();
  const made = { agentId: "main", sessionKey: MAIN, sessionId: "s-1", messageChannel: "rigchat", requesterSenderId: "bob", nativeChannelId: "bob", senderIsOwner: false };
  assert.equal(runs.ofTool(made, { entry: { chatType: "group" } }).chatType, "group");
  const session = begun(direct, false, { runs });
  assert.equal(runs.ofTool(made), session);
  assert.equal(runs.ofTool({ ...made, sessionKey: "agent:main:elsewhere", requesterSenderId: "gateway-client", messageChannel: "webchat", senderIsOwner: true }).isOwner, true);
});

test("names come with the person, settings with everybody", () => {
  const runs = new Runs();
  runs.noteMessage({ senderId: "bob", metadata: { senderName: "Bob B." } }, { channelId: "rigchat" });
  assert.equal(runs.begin(direct).session.senderName, "Bob B.");
  assert.equal(begun({ ...direct, runId: "run-11", channel: "slack" }, false, { runs }).senderName, undefined);
  const session = sessionRef(direct, { settings: { userId: "ada", timezone: "Asia/Tokyo" } });
  assert.deepEqual([session.userId, session.timezone], ["ada", "Asia/Tokyo"]);
});

test("of thousands of runs only the newest are remembered", () => {
  const runs = new Runs();
  for (let number = 0; number < 3000; number++) runs.begin({ ...direct, runId: `run-${number}` });
  assert.equal(runs.of({ ...commandLine, runId: "run-0" }).session.senderId, undefined);
  assert.equal(runs.of({ ...commandLine, runId: "run-2999" }).session.senderId, "bob");
});
