// Sessions that several people share: who said what.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOB, OWNER, fresh, stored } from "./gateway_messages.js";
import { exchanges, previousExchange } from "./turn.js";

test("a message of somebody else that arrived while the run went on is that person's", () => {
  const steered = stored.sender("alice", "and my birthday is in May");
  const turns = exchanges(
    { runId: "r", messages: [fresh.user("slow please", "k1"), fresh.answer("one"), steered, fresh.answer("two")] },
    { session: { ...BOB, senderName: "Bob" } },
  );
  assert.deepEqual(
    turns.map(({ session, user, assistant }) => [
      session.senderId,
      session.senderName,
      session.isOwner,
      user.text,
      assistant.text,
    ]),
    [
      ["bob", "Bob", false, "slow please", "one"],
      ["alice", "ALICE", false, "and my birthday is in May", "two"],
    ],
  );
  const [, later] = exchanges(
    {
      runId: "r",
      messages: [fresh.user("a"), fresh.answer("b"), { ...steered, idempotencyKey: undefined }, fresh.answer("c")],
    },
    { session: BOB },
  );
  assert.equal(later.turnKey, "r:user:1");
});

test("whoever joins a run keeps channel and standing: the owner, a namesake elsewhere, somebody unknown", () => {
  const joins = (message) =>
    exchanges(
      { runId: "r", messages: [fresh.user("a"), fresh.answer("b"), message, fresh.answer("c")] },
      { session: { ...BOB, chatType: "direct" } },
    )[1]?.session;
  const owner = joins(stored.owner("I am the owner"));
  assert.deepEqual([owner.isOwner, owner.senderId, owner.channel], [true, undefined, "webchat"]);
  const namesake = stored.sender("bob", "I am another bob");
  namesake.__openclaw.transport = { channel: "slack" };
  assert.deepEqual([joins(namesake).senderId, joins(namesake).channel], ["bob", "slack"]);
  const nobody = joins({ ...stored.owner("x"), __openclaw: { senderIsOwner: false } });
  assert.deepEqual([nobody.isOwner, nobody.senderId, nobody.channel], [false, undefined, undefined]);
});

test("where rooms and direct chats share a session, words that join a run are left out rather than put in the wrong place", () => {
  const messages = [fresh.user("a"), fresh.answer("b"), stored.sender("alice", "a private word"), fresh.answer("c")];
  const textsOf = (session) => exchanges({ runId: "r", messages }, { session }).map(({ user }) => user.text);
  assert.deepEqual(textsOf({ ...BOB, chatType: "group", chatId: "room1" }), ["a"]);
  assert.deepEqual(textsOf({ ...BOB, sessionKey: "agent:main:rigchat:group:room1", chatType: "group" }), [
    "a",
    "a private word",
  ]);
});

test("a steered message without an answer of its own is a half turn", () => {
  assert.deepEqual(exchanges({ messages: [fresh.user("a"), stored.sender("alice", "b")] }, { session: BOB }), []);
});

test("the previous exchange is the same person's, out of a shared history", () => {
  const history = [
    stored.owner("my cat is Miso"),
    stored.answer("noted, owner"),
    stored.sender("bob", "my dog is Rex"),
    stored.answer("noted, bob"),
    stored.sender("alice", "hello"),
    stored.answer("hello, alice"),
    stored.owner("/status"),
    {
      role: "user",
      content: "[OpenClaw heartbeat poll]",
      provenance: { kind: "internal_system" },
      __openclaw: { senderIsOwner: false },
    },
  ];
  assert.deepEqual(previousExchange(history, OWNER), { previousUser: "my cat is Miso", lastAssistant: "noted, owner" });
  assert.deepEqual(previousExchange(history, BOB), { previousUser: "my dog is Rex", lastAssistant: "noted, bob" });
  assert.deepEqual(previousExchange(history, { ...BOB, senderId: "carol" }), {});
  assert.deepEqual(previousExchange(history, { ...BOB, senderId: undefined }), {});
  assert.deepEqual(previousExchange(undefined, BOB), {});
  history[2].__openclaw.transport = { channel: "slack" };
  assert.deepEqual(previousExchange(history, BOB), {});
});
