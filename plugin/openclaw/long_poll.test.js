import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { LongPoll } from "./long_poll.js";
import { servicesOf, until } from "./recording_service.js";

const PATH = "/v1/held";
const AWAY = { status: 503, body: { error: { code: "unavailable" } } };
const endings = [];
const { serve, connect } = servicesOf(endings);

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A poll of a service that answers as told. */
async function polling(answer, { take = () => true, backoffMs } = {}) {
  const service = await serve({ answer });
  const { client, logger } = connect(service);
  let number = 0;
  const body = () => ({ number: (number += 1) });
  const poll = new LongPoll({ client, path: PATH, body, take }, backoffMs && { backoffMs });
  endings.push(() => poll.stop());
  poll.start();
  return { service, client, logger, poll, asked: () => service.calls(PATH).length };
}

test("it asks anew once an answer was taken in, and starting twice is starting once", async () => {
  const taken = [];
  const answers = [{ a: 1 }, { a: 2 }];
  const { service, poll, asked } = await polling(() => answers.shift() ?? "hang", {
    take: async (answer) => {
      await setTimeout(10);
      return taken.push(answer);
    },
  });
  poll.start();
  await until(() => asked() === 3);
  assert.deepEqual(taken, [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(
    service.calls(PATH).map(({ number }) => number),
    [1, 2, 3],
  );
});

test("it waits longer and longer while the service refuses, and complains of nothing", async () => {
  const { poll, asked, logger } = await polling(() => AWAY, { backoffMs: [50, 100] });
  await setTimeout(500);
  poll.stop();
  assert.ok(asked() >= 3 && asked() <= 7, `${asked()} questions`);
  assert.deepEqual(logger.lines, []);
});

test("it asks a service that answers nothing at once no more than once a second", async () => {
  const { asked } = await polling(() => ({}), { take: () => false });
  await setTimeout(600);
  assert.equal(asked(), 1);
});

test("it goes on at once when the service is there again", async () => {
  let isUp = false;
  const { client, asked } = await polling((path) => (isUp ? (path === PATH ? "hang" : {}) : AWAY), {
    backoffMs: [60_000],
  });
  await until(() => asked() === 1);
  await setTimeout(50);
  isUp = true;
  await client.post("/v1/other", {});
  await until(() => asked() === 2);
});

test("it ends in the middle of a question, and what was handed on is told", async () => {
  let handed;
  const { poll, asked } = await polling((_, { number }) => (number === 1 ? {} : "hang"), {
    take: (_, signal) => (handed = signal),
  });
  await until(() => asked() === 2);
  poll.stop();
  assert.ok(handed.aborted);
  await setTimeout(100);
  assert.equal(asked(), 2);
});
