// The branch of a stored transcript; reading one needs a gateway (tests/acceptance/test_gateway_engine.py).
import assert from "node:assert/strict";
import { test } from "node:test";
import { isShown, pathTo } from "./engine_transcript.js";

const event = (id, parentId) => ({ type: "message", id, parentId });

test("a path follows the branch in use and leaves out what was rewound", () => {
  const events = [event("a", null), event("b", "a"), { type: "reset", id: "r", parentId: "b" }, event("c", "a"), event("d", "c")];
  assert.deepEqual(pathTo("d", events).map(({ id }) => id), ["a", "c", "d"]);
  assert.deepEqual(pathTo("r", events).map(({ id }) => id), ["a", "b", "r"]);
});

test("a path of nothing, of an unknown event or in a ring ends", () => {
  assert.deepEqual(pathTo(undefined, [event("a", null)]), []);
  assert.deepEqual(pathTo("x", [event("a", null)]), []);
  assert.deepEqual(pathTo("b", [event("a", "b"), event("b", "a")]).map(({ id }) => id), ["a", "b"]);
});

test("what only people see of a transcript is left out", () => {
  const said = { role: "assistant", provider: "anthropic", model: "opus", content: [] };
  assert.ok(isShown(said));
  assert.ok(isShown({ role: "user", content: "/compact" }));
  assert.ok(!isShown({ ...said, provider: "openclaw", model: "gateway-injected" }));
  assert.ok(!isShown({ ...said, openclawDeliveryMirror: { kind: "channel-final" } }));
  assert.ok(!isShown({ role: "custom", customType: "openclaw.runtime-context" }));
  assert.ok(isShown({ role: "custom", customType: "weather" }));
});
