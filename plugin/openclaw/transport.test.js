import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { servicesOf, startService, TOKEN } from "./recording_service.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const { serve, connect } = servicesOf(endings);

test("a call carries the token over a connection that proved itself, and later ones reuse it", async () => {
  const service = await serve({ answer: () => ({ text: "hi" }) });
  const { client } = connect(service);
  for (let number = 0; number < 5; number++)
    assert.deepEqual(await client.post("/v1/recall", { number }), { ok: true, body: { text: "hi" } });
  assert.deepEqual(
    service.requests.map(({ path }) => path),
    ["/healthz", ...Array(5).fill("/v1/recall")],
  );
  assert.deepEqual(
    service.requests.map(({ authorization }) => authorization),
    [undefined, ...Array(5).fill(`Bearer ${TOKEN}`)],
  );
  assert.equal(service.connections, 1);
});

test("calls at the same time all arrive", async () => {
  const service = await serve({ answer: (_, body) => body });
  const { client } = connect(service, { config: { timeoutMs: 5000 } });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, number) => client.post("/v1/turns", { number })));
  assert.deepEqual(
    answers.map(({ body }) => body.number),
    Array.from({ length: 30 }, (_, number) => number),
  );
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
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise((resolve) => {
    impostor.listen(0, "127.0.0.1", resolve);
  });
  endings.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        impostor.close(resolve);
      }),
  );
  const { client, logger } = connect({ url: `http://127.0.0.1:${impostor.address().port}` });
  const answer = await client.post("/v1/turns", { words: "my cat is Miso" });
  assert.equal(answer.ok, false);
  assert.match(answer.reason, /doesn't know the token/);
  assert.ok(
    received.length > 0 && received.every((data) => data.startsWith("GET /healthz?nonce=")),
    received.join("\n"),
  );
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
  await new Promise((resolve) => {
    impostor.listen(service.port, "127.0.0.1", resolve);
  });
  endings.push(
    () =>
      new Promise((resolve) => {
        impostor.closeAllConnections();
        impostor.close(resolve);
      }),
  );
  assert.equal((await client.post("/v1/turns", { words: "second" })).ok, false);
  assert.ok(
    received.length > 0 && received.every((line) => /^GET \/healthz\?nonce=[0-9a-f]{32} undefined$/.test(line)),
    received.join("\n"),
  );
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

test("a service that accepts but never proves costs no more than the deadline", async () => {
  const silent = net.createServer(() => {});
  await new Promise((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  const { client } = connect({ url: `http://127.0.0.1:${silent.address().port}` });
  const started = Date.now();
  assert.equal((await client.post("/v1/recall", {}, { timeoutMs: 100 })).reason, "no answer in time");
  assert.ok(Date.now() - started < 1500);
  client.close();
  silent.close();
});

test("an answer that isn't JSON is a failure", async () => {
  const plain = http.createServer((request, response) => response.end("hello"));
  await new Promise((resolve) => {
    plain.listen(0, "127.0.0.1", resolve);
  });
  endings.push(
    () =>
      new Promise((resolve) => {
        plain.closeAllConnections();
        plain.close(resolve);
      }),
  );
  assert.match(
    (await connect({ url: `http://127.0.0.1:${plain.address().port}` }).client.post("/v1/recall", {})).reason,
    /doesn't know the token/,
  );
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
