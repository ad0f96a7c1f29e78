import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "./outbox.js";
import { recordingLogger, until } from "./recording_service.js";

/** An outbox whose far side is `state`: away, refusing, or taking turns. */
function outboxTo(state, options) {
  const logger = recordingLogger();
  const post = async (turn) => {
    if (state.isAway) return { ok: false, isRetryable: true, reason: "ECONNREFUSED" };
    if (state.refuses?.(turn)) return { ok: false, isRetryable: false, reason: "422 invalid" };
    state.taken.push(turn.n);
    return { ok: true };
  };
  return { outbox: new Outbox(post, { logger, ...options }), logger };
}

test("turns that could not be delivered go out in order once the service is back", async () => {
  const state = { isAway: true, taken: [] };
  const { outbox } = outboxTo(state, { retryMs: 20 });
  for (let n = 0; n < 3; n++) await outbox.add({ n });
  assert.equal(outbox.size, 3);
  state.isAway = false;
  await until(() => outbox.size === 0);
  await outbox.add({ n: 3 });
  assert.deepEqual(state.taken, [0, 1, 2, 3]);
});

test("a turn that is refused doesn't hold up the others", async () => {
  const state = { taken: [], refuses: ({ n }) => n === 0 };
  const { outbox, logger } = outboxTo(state);
  await outbox.add({ n: 0 });
  await outbox.add({ n: 1 });
  assert.deepEqual(state.taken, [1]);
  assert.deepEqual(logger.lines, ["warn nightshift: a turn was not stored: 422 invalid"]);
});

test("no more than a bound waits, the newest are kept, and one line says so", async () => {
  const state = { isAway: true, taken: [] };
  const { outbox, logger } = outboxTo(state, { maxTurns: 3 });
  for (let n = 0; n < 10; n++) await outbox.add({ n });
  assert.equal(outbox.size, 3);
  assert.deepEqual([outbox.state.waitingTurns, outbox.state.lostTurns, outbox.state.mostTurns], [3, 7, 3]);
  assert.equal(logger.lines.length, 1);
  state.isAway = false;
  await outbox.flush();
  assert.deepEqual(state.taken, [7, 8, 9]);
});

test("the bound counts bytes as well, and one turn always has room", async () => {
  const state = { isAway: true, taken: [] };
  const { outbox } = outboxTo(state, { maxBytes: 1000 });
  for (let n = 0; n < 5; n++) await outbox.add({ n, words: "é".repeat(200) });
  assert.equal(outbox.size, 2);
  assert.ok(outbox.state.waitingBytes <= 1000 && outbox.state.mostBytes === 1000);
  await outbox.add({ n: 5, words: "x".repeat(5000) });
  assert.equal(outbox.size, 1);
  state.isAway = false;
  await outbox.flush();
  assert.deepEqual(state.taken, [5]);
});

test("what still waits at the end is counted, without a word of it", async () => {
  const { outbox, logger } = outboxTo({ isAway: true, taken: [] });
  await outbox.add({ n: 0, words: "my cat is Miso" });
  outbox.close();
  assert.deepEqual(logger.lines, ["warn nightshift: 1 turns could not be stored before the end"]);
  assert.equal(outbox.size, 0);
});
