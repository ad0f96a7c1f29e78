import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIN, begun, commandLine, direct, group, http, webChat } from "./gateway_contexts.js";
import { parseKey, sessionRef } from "./identity.js";
import { Runs } from "./runs.js";

for (const [key, wanted] of [
  [MAIN, { agentId: "main", kind: "other" }],
  ["agent:ops:telegram:direct:42", { agentId: "ops", kind: "direct", channel: "telegram" }],
  ["agent:ops:telegram:work:direct:42", { agentId: "ops", kind: "direct", channel: "telegram" }],
  ["agent:main:telegram:group:-100:topic:7", { agentId: "main", kind: "group", channel: "telegram", room: "-100" }],
  ["agent:main:discord:channel:9:thread:8", { agentId: "main", kind: "channel", channel: "discord", room: "9" }],
  [
    "agent:main:matrix:group:!a:server.org",
    { agentId: "main", kind: "group", channel: "matrix", room: "!a:server.org" },
  ],
  ["agent:main:openai-user:c:d", { agentId: "main", kind: "http", user: "c:d" }],
  ["agent:main:openai:5f", { agentId: "main", kind: "http", user: undefined }],
  ["agent:main:subagent:x:subagent:y", { agentId: "main", kind: "subagent" }],
  ["agent:main:cron:job:run:1", { agentId: "main", kind: "cron" }],
  ["cron:job", { agentId: undefined, kind: "cron" }],
  ["hook:5f", { agentId: undefined, kind: "hook" }],
  ["agent:main:telegram:constructor:x", { agentId: "main", kind: "other" }],
  [undefined, { agentId: undefined, kind: "other" }],
]) {
  test(`the key ${key} is read`, () => assert.deepEqual(parseKey(key), wanted));
}

test("the web chat's operator is the owner, also when no tool was made", () => {
  const session = begun(webChat, undefined);
  assert.deepEqual(session, {
    agentId: "main",
    sessionKey: MAIN,
    sessionId: "s-1",
    trigger: "user",
    channel: "webchat",
    chatType: "direct",
    isOwner: true,
  });
});

test("somebody who calls himself gateway-client on a channel isn't the owner", () => {
  assert.equal(begun({ ...direct, senderId: "gateway-client" }, false).isOwner, false);
});

test("a sender in a shared session is that sender and nobody else", () => {
  const session = begun(direct, false, { entry: { chatType: "direct" } });
  assert.deepEqual(
    [session.senderId, session.channel, session.isOwner, session.chatType, session.chatId],
    ["bob", "rigchat", false, "direct", undefined],
  );
});

test("a sender whom the gateway knows as owner is the owner", () => {
  assert.equal(begun(direct, true).isOwner, true);
});

test("a command line run of the owner doesn't take over the last visitor's chat", () => {
  const session = begun(commandLine, true);
  assert.deepEqual(
    [session.isOwner, session.senderId, session.chatId, session.channel],
    [true, undefined, undefined, "cli"],
  );
});

test("a group is its room, with the one who speaks", () => {
  const session = begun(group, false, { entry: { chatType: "group" } });
  assert.deepEqual(
    [session.chatType, session.chatId, session.senderId, session.channel],
    ["group", "room1", "bob", "rigchat"],
  );
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
  const announced = new Runs().begin({
    ...commandLine,
    runId: "announce:v1:agent:main:subagent:x:y",
    inputProvenance: { kind: "inter_session" },
  });
  assert.deepEqual([announced.isMachine, announced.session.isOwner], [true, false]);
});

test("odd ids and names are sent as the service takes them, or not at all", () => {
  const session = sessionRef({ ...direct, senderId: 42, sessionId: " " }, { senderName: `${" x".repeat(200)} ` });
  assert.deepEqual([session.senderId, "sessionId" in session, session.senderName.length], ["42", false, 100]);
  assert.equal("senderName" in sessionRef(direct, { senderName: "  " }), false);
});
