import assert from "node:assert/strict";
import { test } from "node:test";
import { BOB, OWNER, fresh, says, stored } from "./gateway_messages.js";
import { exchanges, recallRequest } from "./turn.js";

test("a turn is the user's words and the final answer, under the gateway's own key of the message", () => {
  const [turn, ...more] = exchanges(
    { runId: "run-1", messages: [fresh.user("My cat is Miso", "run-1:user"), fresh.answer("Nice.")] },
    { session: OWNER },
  );
  assert.deepEqual(more, []);
  assert.deepEqual(turn, {
    session: OWNER,
    turnKey: "run-1:user",
    at: "2026-05-01T10:00:00.000Z",
    user: { text: "My cat is Miso" },
    assistant: { text: "Nice." },
  });
});

test("the history that the gateway sends along isn't captured again", () => {
  const history = [
    stored.owner("hello"),
    stored.answer("hi"),
    stored.owner("/new"),
    stored.sender("bob", "my dog is Rex"),
    stored.answer("ok"),
  ];
  const turns = exchanges(
    { runId: "r", messages: [...history, fresh.user("next"), fresh.answer("yes")] },
    { session: OWNER, historyLength: history.length },
  );
  assert.deepEqual(
    turns.map((turn) => turn.user.text),
    ["next"],
  );
});

test("unmarked history isn't captured again either, nor after a compaction in the middle of the run", () => {
  const unmarked = [fresh.user("one"), fresh.answer("1"), fresh.user("two"), fresh.answer("2")];
  const now = [fresh.user("three", "k3"), fresh.answer("3")];
  for (const run of [
    { session: OWNER, historyLength: 4 },
    { session: OWNER, historyLength: 400 },
  ]) {
    assert.deepEqual(
      exchanges({ runId: "r", messages: [...unmarked, ...now] }, run).map((turn) => turn.turnKey),
      ["k3"],
    );
  }
});

test("a provider's error leaves no turn, though the gateway reports success", () => {
  const failed = { role: "assistant", content: [], stopReason: "error", errorMessage: "400 boom" };
  assert.deepEqual(
    exchanges({ runId: "r", success: true, messages: [fresh.user("hello"), failed] }, { session: OWNER }),
    [],
  );
  assert.deepEqual(
    exchanges(
      { messages: [fresh.user("hello"), fresh.answer("half an", { stopReason: "aborted" })] },
      { session: OWNER },
    ),
    [],
  );
});

for (const [what, messages] of [
  ["a slash command", [fresh.user("/status"), fresh.answer("fine")]],
  ["a silent answer", [fresh.user("hello all"), fresh.answer(" NO_REPLY\n")]],
  [
    "another session's message",
    [{ ...fresh.user("do it"), provenance: { kind: "inter_session" } }, fresh.answer("done")],
  ],
  ["an empty message", [fresh.user("  "), fresh.answer("what?")]],
  ["no message at all", [fresh.answer("good morning")]],
  ["nothing", []],
  ["nonsense", [null, 5, { role: "user" }, { role: "assistant", content: [null] }]],
]) {
  test(`${what} is no turn`, () => assert.deepEqual(exchanges({ runId: "r", messages }, { session: OWNER }), []));
}

test("tools are named with a short summary, our own left out and the catalogue seen through", () => {
  const call = (id, name, args) => ({
    role: "assistant",
    stopReason: "toolUse",
    content: [{ type: "toolCall", id, name, arguments: args }],
  });
  const result = (toolCallId, isError) => ({
    role: "toolResult",
    toolCallId,
    isError,
    content: says("a secret output"),
  });
  const [turn] = exchanges(
    {
      runId: "r",
      messages: [
        fresh.user("look it up"),
        call("1", "web_search", { query: "tide\ntables", deep: { x: 1 } }),
        result("1", true),
        call("2", "tool_call", { id: "calendar_add", args: { title: "x".repeat(500) } }),
        result("2", false),
        call("3", "memory_store", { text: "y" }),
        call("4", "nightshift_search", {}),
        fresh.answer("done"),
      ],
    },
    { session: OWNER },
  );
  assert.deepEqual(
    turn.tools.map(({ name }) => name),
    ["web_search", "calendar_add"],
  );
  assert.equal(turn.tools[0].summary, "failed: query=tide tables");
  assert.ok(turn.tools[1].summary.length <= 120);
  assert.doesNotMatch(JSON.stringify(turn), /secret output/);
});

test("texts are bounded and never cut through a character", () => {
  const [turn] = exchanges(
    { messages: [fresh.user(`a${"🐈".repeat(20_000)}`), fresh.answer("b".repeat(50_000))] },
    { session: OWNER },
  );
  assert.deepEqual([turn.user.text.length, turn.assistant.text.length], [31_999, 32_000]);
  assert.doesNotThrow(() => encodeURIComponent(turn.user.text));
});

test("what this plugin put before the words is taken off where a host stored it", () => {
  const [turn] = exchanges(
    { messages: [fresh.user("<memory>\nMiso\n</memory>\n\nWhat is she called?"), fresh.answer("Miso")] },
    { session: OWNER, context: "<memory>\nMiso\n</memory>" },
  );
  assert.equal(turn.user.text, "What is she called?");
});

test("a recall asks with the typed words and is left out for commands and empty prompts", () => {
  const ask = (prompt) => recallRequest({ prompt, messages: [] }, { session: BOB, at: "now" });
  assert.deepEqual(ask("What is she called?"), { session: BOB, message: { text: "What is she called?", at: "now" } });
  for (const prompt of ["", "   ", "/new", "/compact keep names", undefined]) assert.equal(ask(prompt), undefined);
  assert.equal(ask("/home/ada/notes is where?").message.text, "/home/ada/notes is where?");
});
