import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIN, begun, commandLine, direct, webChat } from "./gateway_contexts.js";
import { sessionRef } from "./identity.js";
import { Runs } from "./runs.js";

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

test("a turn without sender and without evidence has no person", () => {
  const session = begun(commandLine, false);
  assert.deepEqual(
    [session.isOwner, session.senderId, session.chatId, session.channel],
    [false, undefined, undefined, undefined],
  );
});

test("a subagent is the person who started it, also two levels down", () => {
  const runs = new Runs();
  begun(direct, false, { runs });
  const child = { ...commandLine, runId: "run-8", sessionKey: "agent:main:subagent:x" };
  runs.noteSpawn(child.sessionKey, MAIN);
  const session = begun(child, false, { runs, entry: { spawnedBy: MAIN, parentSessionKey: MAIN } });
  assert.deepEqual(
    [session.trigger, session.senderId, session.channel, session.parentSessionKey],
    ["subagent", "bob", "rigchat", MAIN],
  );
  const grandchild = { ...child, runId: "run-9", sessionKey: "agent:main:subagent:x:subagent:y" };
  runs.noteSpawn(grandchild.sessionKey, child.sessionKey);
  assert.equal(begun(grandchild, false, { runs }).senderId, "bob");
});

test("a subagent started by an announcement has no person, whoever spoke there before", () => {
  const runs = new Runs();
  begun(webChat, true, { runs });
  begun({ ...commandLine, runId: "announce:v1:x", inputProvenance: { kind: "inter_session" } }, false, { runs });
  runs.noteSpawn("agent:main:subagent:z", MAIN);
  const session = begun({ ...commandLine, runId: "run-10", sessionKey: "agent:main:subagent:z" }, false, {
    runs,
    entry: { spawnedBy: MAIN },
  });
  assert.deepEqual(
    [session.trigger, session.senderId, session.isOwner, session.parentSessionKey],
    ["subagent", undefined, false, MAIN],
  );
});

test("a tool call is the run's person, and without a run what its own context shows", () => {
  const runs = new Runs();
  const made = {
    agentId: "main",
    sessionKey: MAIN,
    sessionId: "s-1",
    messageChannel: "rigchat",
    requesterSenderId: "bob",
    nativeChannelId: "bob",
    senderIsOwner: false,
  };
  assert.equal(runs.ofTool(made, { entry: { chatType: "group" } }).chatType, "group");
  const session = begun(direct, false, { runs });
  assert.equal(runs.ofTool(made), session);
  assert.equal(
    runs.ofTool({
      ...made,
      sessionKey: "agent:main:elsewhere",
      requesterSenderId: "gateway-client",
      messageChannel: "webchat",
      senderIsOwner: true,
    }).isOwner,
    true,
  );
});

test("an older run of the owner lends nothing to tools that are made without him", () => {
  const runs = new Runs();
  assert.equal(begun(commandLine, true, { runs }).isOwner, true);
  assert.equal(runs.ofTool({ sessionKey: MAIN, senderIsOwner: true }).isOwner, true);
  assert.equal(runs.ofTool({ sessionKey: MAIN, senderIsOwner: false }).isOwner, false);
  assert.equal(runs.ofTool({ sessionKey: MAIN }).isOwner, false);
});

test("names come with the person, settings with everybody", () => {
  const runs = new Runs();
  runs.noteMessage({ senderId: "bob", metadata: { senderName: "Bob B." } }, { channelId: "rigchat" });
  assert.equal(runs.begin(direct).session.senderName, "Bob B.");
  assert.equal(begun({ ...direct, runId: "run-11", channel: "slack" }, false, { runs }).senderName, undefined);
  const session = sessionRef(direct, { settings: { userId: "ada", timezone: "Asia/Tokyo" } });
  assert.equal(session.timezone, "Asia/Tokyo");
  // The service takes a userId for who speaks: the owner's name would make everybody the owner.
  assert.equal("userId" in session, false);
});

test("of thousands of runs only the newest are remembered", () => {
  const runs = new Runs();
  for (let number = 0; number < 3000; number++) runs.begin({ ...direct, runId: `run-${number}` });
  assert.equal(runs.of({ ...commandLine, runId: "run-0" }).session.senderId, undefined);
  assert.equal(runs.of({ ...commandLine, runId: "run-2999" }).session.senderId, "bob");
});
