import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "./client.js";
import { recordingLogger, startService, TOKEN } from "./recording_service.js";
import { readSettings } from "./settings.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

async function serve(options) {
  const service = await startService(options);
  endings.push(() => service.stop());
  return service;
}

function connect(service, { config = {}, now } = {}) {
  const logger = recordingLogger();
  const client = new Client(readSettings({ baseUrl: service.url, apiKey: TOKEN, timeoutMs: 400, ...config }, { env: {} }), { logger, now });
  endings.push(() => client.close());
  return { client, logger };
}

test("a call carries the token over a connection that proved itself, and later ones reuse it", async () => {
  const service = await serve({ answer: () => ({ text: "hi" }) });
  const { client } = connect(service);
  for (let number = 0; number < 5; number++) assert.deepEqual(await client.post("/v1/recall", { number }), { ok: true, body: { text: "hi" } });
  assert.deepEqual(service.requests.map(({ path }) => path), ["/healthz", ...Array(5).fill("/v1/recall")]);
  assert.deepEqual(service.requests.map(({ authorization }) => authorization), [undefined, ...Array(5).fill(`Bearer ${TOKEN}`)]);
  assert.equal(service.connections, 1);
});

test("calls at the same time all arrive", async () => {
  const service = await serve({ answer: (_, body) => body });
  const { client } = connect(service, { config: { timeoutMs: 5000 } });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, number) => client.post("/v1/turns", { number })));
  assert.deepEqual(answers.map(({ body }) => body.number), Array.from({ length: 30 }, (_, number) => number));
});

test("another program on the port learns neither the token nor a word", async () => {
  const received = [];
  const sockets = new Set();
  const impostor = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      received.push(data.toString());
      const body = JSON.stringify({ status: "ok", proof: "ab".repeat(32) });
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  await new Promise((resolve) => { impostor.listen(0, "127.0.0.1", resolve); });
  endings.push(() => new Promise((resolve) => { for (const socket of sockets) socket.destroy(); impostor.close(resolve); }));
  const { client, logger } = connect({ url: `http://127.0.0.1:${impostor.address().port}` });
  const answer = await client.post("/v1/turns", { words: "my cat is Miso" });
  assert.equal(answer.ok, false);
  assert.match(answer.reason, /doesn't know the token/);
  assert.ok(received.length > 0 && received.every((data) => data.startsWith("GET /healthz?nonce=")), received.join("\n"));
  assert.doesNotMatch(received.join(""), new RegExp(`${TOKEN}|Miso`));
  assert.doesNotMatch(logger.lines.join(""), new RegExp(TOKEN));
});

test("a program that takes over the port between two calls learns nothing either", async () => {
  const service = await startService({ answer: () => ({}) });
  const { client } = connect(service);
  assert.ok((await client.post("/v1/turns", { words: "first" })).ok);
  await service.stop();
  const received = [];
  const impostor = http.createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end("{}");
  });
  await new Promise((resolve) => { impostor.listen(service.port, "127.0.0.1", resolve); });
  endings.push(() => new Promise((resolve) => { impostor.closeAllConnections(); impostor.close(resolve); }));
  assert.equal((await client.post("/v1/turns", { words: "second" })).ok, false);
  assert.ok(received.length > 0 && received.every((line) => /^GET \/healthz\?nonce=[0-9a-f]{32} undefined$/.test(line)), received.join("\n"));
});

test("a service that was restarted is proven anew and used without a pause", async () => {
  const first = await startService({ answer: () => ({ n: 1 }) });
  const { client } = connect(first);
  assert.ok((await client.post("/v1/recall", {})).ok);
  await first.stop();
  const second = await serve({ port: first.port, answer: () => ({ n: 2 }) });
  assert.deepEqual(await client.post("/v1/recall", {}), { ok: true, body: { n: 2 } });
  assert.equal(second.requests[0].path, "/healthz");
});

test("a connection that breaks under a call is tried once more", async () => {
  let calls = 0;
  const service = await serve({ answer: () => (++calls === 1 ? "cut" : { ok: 1 }) });
  assert.ok((await connect(service).client.post("/v1/turns", {})).ok);
  const broken = await serve({ answer: () => "cut" });
  assert.equal((await connect(broken).client.post("/v1/turns", {})).ok, false);
  assert.equal(broken.calls("/v1/turns").length, 2);
});

test("a call ends at its deadline", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client } = connect(service);
  const started = Date.now();
  const answer = await client.post("/v1/recall", {}, { timeoutMs: 120 });
  assert.deepEqual(answer, { ok: false, reason: "no answer in time", isRetryable: true });
  assert.ok(Date.now() - started < 350, `${Date.now() - started} ms`);
});

test("a service that accepts but never proves costs no more than the deadline", async () => {
  const silent = net.createServer(() => {});
  await new Promise((resolve) => { silent.listen(0, "127.0.0.1", resolve); });
  const { client } = connect({ url: `http://127.0.0.1:${silent.address().port}` });
  const started = Date.now();
  assert.equal((await client.post("/v1/recall", {}, { timeoutMs: 100 })).reason, "no answer in time");
  assert.ok(Date.now() - started < 350);
  client.close();
  silent.close();
});

test("three failures open the breaker, the cooldown lets one probe through, an answer closes it", async () => {
  let now = 0;
  let isBroken = true;
  const service = await serve({ answer: () => (isBroken ? { status: 500, body: {} } : { fine: true }) });
  const { client, logger } = connect(service, { now: () => now, config: { circuitBreaker: { maxFailures: 3, cooldownMs: 60_000 } } });
  for (let number = 0; number < 3; number++) await client.post("/v1/recall", {});
  assert.deepEqual(await client.post("/v1/recall", {}), { ok: false, reason: "it didn't answer lately", isRetryable: true });
  assert.equal(service.calls("/v1/recall").length, 3);
  now = 60_000;
  const [probe, other] = await Promise.all([client.post("/v1/recall", {}), client.post("/v1/recall", {})]);
  assert.deepEqual([probe.reason, other.reason], ["500 answer that can't be read", "it didn't answer lately"]);
  assert.equal((await client.post("/v1/recall", {})).reason, "it didn't answer lately");
  now = 120_000;
  isBroken = false;
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.deepEqual(logger.lines.map((line) => line.split(" ")[0]), ["warn", "info"]);
});

test("one warning when the service goes away and one line when it is back, however many turns", async () => {
  let isBroken = false;
  const service = await serve({ answer: () => (isBroken ? { status: 503, body: { error: { code: "unavailable", retryable: true } } } : {}) });
  const { client, logger } = connect(service);
  let ups = 0;
  client.onUp(() => { ups += 1; });
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
  const service = await serve({ answer: () => ({ status: 422, body: { error: { code: "invalid", message: "secret words", retryable: false } } }) });
  const { client, logger } = connect(service);
  for (let number = 0; number < 5; number++) {
    assert.deepEqual(await client.post("/v1/turns", {}), { ok: false, reason: "422 invalid", status: 422, isRetryable: false });
  }
  assert.deepEqual(logger.lines, []);
});

test("an answer that isn't JSON is a failure", async () => {
  const plain = http.createServer((request, response) => response.end("hello"));
  await new Promise((resolve) => { plain.listen(0, "127.0.0.1", resolve); });
  endings.push(() => new Promise((resolve) => { plain.closeAllConnections(); plain.close(resolve); }));
  assert.match((await connect({ url: `http://127.0.0.1:${plain.address().port}` }).client.post("/v1/recall", {})).reason, /doesn't know the token/);
});

test("a long wait is outside the breaker and its failures are no warning", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client, logger } = connect(service, { config: { circuitBreaker: { maxFailures: 1 } } });
  await client.post("/v1/recall", {}, { timeoutMs: 60 });
  assert.equal((await client.post("/v1/recall", {})).reason, "it didn't answer lately");
  assert.equal((await client.post("/v1/tools/memory_consolidate", {}, { isLongWait: true, timeoutMs: 60 })).reason, "no answer in time");
  assert.equal(logger.lines.length, 1);
});

test("a cancelled call is over at once and no failure", async () => {
  const service = await serve({ answer: () => "hang" });
  const { client, logger } = connect(service);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 40);
  assert.equal((await client.post("/v1/tools/memory_search", {}, { signal: controller.signal })).reason, "the call was cancelled");
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

test("the token file is read when it is there, and again when it was replaced", async () => {
  const home = await mkdtemp(join(tmpdir(), "nightshift-client-"));
  endings.push(() => rm(home, { recursive: true }));
  const service = await serve({ token: "first" });
  const { client } = connect(service, { config: { apiKey: undefined, local: { home } } });
  assert.match((await client.post("/v1/recall", {})).reason, /there is no token yet/);
  await writeFile(join(home, "token"), "first\n");
  assert.ok((await client.post("/v1/recall", {})).ok);
  service.token = "second";
  assert.match((await client.post("/v1/recall", {})).reason, /401/);
  await writeFile(join(home, "token"), "second");
  assert.ok((await client.post("/v1/recall", {})).ok);
});

test("when memory is off nothing is asked and the reason is told", async () => {
  const logger = recordingLogger();
  const client = new Client(readSettings({ baseUrl: "nowhere" }, { env: {} }), { logger });
  assert.deepEqual(await client.post("/v1/recall", {}), { ok: false, reason: "baseUrl: is not a URL", isRetryable: false });
  assert.equal((await client.isThere()).ok, false);
  client.close();
});
