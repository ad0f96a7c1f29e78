import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap, cut } from "./bounded.js";
import { webChat } from "./gateway_contexts.js";
import { Runs } from "./runs.js";

test("a bounded map forgets its oldest entries, what was set again being new", () => {
  const map = new BoundedMap(3);
  for (const key of ["a", "b", "c"]) map.set(key, key);
  map.set("a", "again").set("d", "d");
  assert.deepEqual(
    [...map],
    [
      ["c", "c"],
      ["a", "again"],
      ["d", "d"],
    ],
  );
  for (let number = 0; number < 10_000; number++) map.set(number, number);
  assert.equal(map.size, 3);
});

test("a text is cut between characters", () => {
  assert.deepEqual([cut("abc", 5), cut("abc", 2), cut("a😀", 2), cut("a😀", 3)], ["abc", "ab", "a", "a😀"]);
});

test("of very many runs the oldest are forgotten, and a forgotten run has no private memory", () => {
  const runs = new Runs();
  const ctx = (number) => ({ ...webChat, runId: `run-${number}`, sessionKey: `agent:main:${number}` });
  for (let number = 0; number < 5000; number++) runs.begin(ctx(number));
  assert.equal(runs.inProgress("agent:main:0"), undefined);
  assert.equal(runs.inProgress("agent:main:4999").isOwner, true);
});

test("a run whose end was never told counts as over after an hour", () => {
  let now = 0;
  const runs = new Runs({ now: () => now });
  runs.begin(webChat);
  now = 60 * 60_000;
  assert.equal(runs.inProgress(webChat.sessionKey).isOwner, true);
  now += 1;
  assert.equal(runs.inProgress(webChat.sessionKey), undefined);
});
