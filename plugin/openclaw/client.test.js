import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "./client.js";
import { recordingLogger, servicesOf } from "./recording_service.js";
import { readSettings } from "./settings.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const { serve, connect } = servicesOf(endings);

test("a call ends at its deadline", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client } = connect(service);
  const started = Date.now();
  const answer = await client.post("/v1/recall", {}, { timeoutMs: 120 });
  assert.deepEqual(answer, { ok: false, reason: "no answer in time", isRetryable: true });
  assert.ok(Date.now() - started < 1500, `${Date.now() - started} ms`);
});

test("three failures open the breaker, the cooldown lets one probe through, an answer closes it", async () => {
  let now = 0;
  let isBroken = true;
  const service = await serve({ answer: () => (isBroken ? { status: 500, body: {} } : { fine: true }) });
  const { client, logger } = connect(service, {
    now: () => now,
    config: { circuitBreaker: { maxFailures: 3, cooldownMs: 60_000 } },
  });
  for (let number = 0; number < 3; number++) await client.post("/v1/recall", {});
  assert.deepEqual(await client.post("/v1/recall", {}), {
    ok: false,
    reason: "it didn't answer lately",
    isRetryable: true,
  });
  assert.equal(service.calls("/v1/recall").length, 3);
  now = 60_000;
  const [probe, other] = await Promise.all([client.post("/v1/recall", {}), client.post("/v1/recall", {})]);
  assert.deepEqual([probe.reason, other.reason], ["500 answer that can't be read", "it didn't answer lately"]);
  assert.equal((await client.post("/v1/recall", {})).reason, "it didn't answer lately");
  now = 120_000;
  isBroken = false;
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.deepEqual(
    logger.lines.map((line) => line.split(" ")[0]),
    ["warn", "info"],
  );
});

test("one warning when the service goes away and one line when it is back, however many turns", async () => {
  let isBroken = false;
  const service = await serve({
    answer: () => (isBroken ? { status: 503, body: { error: { code: "unavailable", retryable: true } } } : {}),
  });
  const { client, logger } = connect(service);
  let ups = 0;
  client.onUp(() => {
    ups += 1;
  });
  await client.post("/v1/recall", {});
  isBroken = true;
  for (let number = 0; number < 10; number++) await client.post("/v1/recall", {});
  isBroken = false;
  assert.ok((await client.isThere()).ok);
  await client.post("/v1/recall", {});
  assert.equal(logger.lines.length, 2, logger.lines.join("\n"));
  assert.match(logger.lines[0], /^warn nightshift: the memory service doesn't answer \(503 unavailable\)/);
  assert.match(logger.lines[1], /^info nightshift: the memory service answers again/);
  assert.equal(ups, 2);
});

test("a service that fails every other call for the same reason is told of once a cooldown", async () => {
  let now = 0;
  let calls = 0;
  const service = await serve({ answer: () => ((calls += 1) % 2 ? { status: 500, body: {} } : {}) });
  const { client, logger } = connect(service, { now: () => now });
  for (let number = 0; number < 10; number++) await client.post("/v1/recall", {});
  assert.deepEqual(
    logger.lines.map((line) => line.split(" ")[0]),
    ["warn", "info"],
  );
  now = 60_001;
  await client.post("/v1/recall", {});
  assert.equal(logger.lines.length, 3);
});

test("while the service is being started its absence is no warning", async () => {
  const { client, logger } = connect({ url: "http://127.0.0.1:1" });
  client.isStarting = true;
  assert.equal((await client.post("/v1/recall", {})).reason, "ECONNREFUSED");
  assert.deepEqual(logger.lines, []);
  client.isStarting = false;
  await client.post("/v1/recall", {});
  assert.match(logger.lines.join(), /ECONNREFUSED/);
});

test("a refusal is an answer, not a failure of the service", async () => {
  const service = await serve({
    answer: () => ({ status: 422, body: { error: { code: "invalid", message: "secret words", retryable: false } } }),
  });
  const { client, logger } = connect(service);
  for (let number = 0; number < 5; number++) {
    assert.deepEqual(await client.post("/v1/turns", {}), {
      ok: false,
      reason: "422 invalid",
      status: 422,
      isRetryable: false,
    });
  }
  assert.deepEqual(logger.lines, []);
});

test("a long wait is outside the breaker and its failures are no warning", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client, logger } = connect(service, { config: { circuitBreaker: { maxFailures: 1 } } });
  await client.post("/v1/recall", {}, { timeoutMs: 60 });
  assert.equal((await client.post("/v1/recall", {})).reason, "it didn't answer lately");
  assert.equal(
    (await client.post("/v1/tools/memory_consolidate", {}, { isLongWait: true, timeoutMs: 60 })).reason,
    "no answer in time",
  );
  assert.equal(logger.lines.length, 1);
});

test("a cancelled call is over at once and no failure", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client, logger } = connect(service);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 40);
  assert.equal(
    (await client.post("/v1/tools/memory_search", {}, { signal: controller.signal })).reason,
    "the call was cancelled",
  );
  assert.deepEqual(logger.lines, []);
});

test("a cancelled probe leaves the way open for the next one", async () => {
  let now = 0;
  let given = { status: 500, body: {} };
  const service = await serve({ answer: () => given });
  const { client } = connect(service, { now: () => now, config: { circuitBreaker: { maxFailures: 1 } } });
  await client.post("/v1/recall", {});
  now = 60_000;
  given = "hang";
  assert.equal((await client.post("/v1/recall", {}, { signal: AbortSignal.timeout(40) })).ok, false);
  given = { fine: true };
  assert.ok((await client.post("/v1/recall", {})).ok);
});

test("when memory is off nothing is asked and the reason is told", async () => {
  const logger = recordingLogger();
  const client = new Client(readSettings({ baseUrl: "nowhere" }, { env: {} }), { logger });
  assert.deepEqual(await client.post("/v1/recall", {}), {
    ok: false,
    reason: "baseUrl: is not a URL",
    isRetryable: false,
  });
  assert.equal((await client.isThere()).ok, false);
  client.close();
});
