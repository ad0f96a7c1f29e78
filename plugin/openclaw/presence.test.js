import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load } from "./fake_gateway.js";
import { gatewayRun } from "./gateway_id.js";
import { Outbox } from "./outbox.js";
import { Presence } from "./presence.js";
import { recordingLogger, servicesOf, TOKEN, until } from "./recording_service.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const { serve, connect } = servicesOf(endings);

function presenceOf(service, options) {
  const { client, logger } = connect(service);
  const outbox = new Outbox(async () => ({ ok: false, isRetryable: true }), { logger: recordingLogger() });
  const presence = new Presence({ client, outbox }, options);
  endings.push(() => presence.stop());
  return { presence, outbox, client, logger };
}
const told = (service) => service.calls("/v1/gateways");

test("the service is told who uses it and what waits for it, again and again", async () => {
  const service = await serve();
  const { presence, outbox } = presenceOf(service, { everyMs: 30 });
  presence.start();
  await until(() => told(service).length >= 2);
  assert.deepEqual(told(service)[0], {
    gatewayId: gatewayRun(),
    leaving: false,
    waitingTurns: 0,
    waitingBytes: 0,
    lostTurns: 0,
    mostTurns: 200,
    mostBytes: 8 * 1024 * 1024,
  });
  await outbox.add({ words: "my cat is Miso" });
  await until(() => told(service).at(-1).waitingTurns === 1);
  assert.ok(told(service).at(-1).waitingBytes > 10);
  assert.doesNotMatch(JSON.stringify(told(service)), /Miso/);
  presence.stop();
  const { length } = told(service);
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  assert.ok(told(service).length <= length + 1);
});

test("it is told at once when it is back, and its absence is no warning", async () => {
  const service = await serve();
  const { presence, client, logger } = presenceOf({ url: service.url }, { everyMs: 60_000 });
  await service.stop();
  presence.start();
  await client.post("/v1/recall", {});
  assert.equal(logger.lines.length, 1);
  const again = await serve({ port: service.port });
  assert.ok((await client.isThere()).ok);
  await until(() => told(again).length === 1);
});

test("who leaves learns how many others stay; a service that can't say counts as unused", async () => {
  const service = await serve({ answer: () => ({ others: 2 }) });
  const { presence } = presenceOf(service);
  presence.start();
  assert.equal(await presence.leave(), 2);
  assert.equal(told(service).at(-1).leaving, true);
  await service.stop();
  assert.equal(await presenceOf(service).presence.leave(), 0);
});

test("the gateway's service tells that it is there, and at the gateway's end that it leaves", async () => {
  const service = await serve({ answer: () => ({ others: 0 }) });
  const gateway = load({ mode: "remote", baseUrl: service.url, apiKey: TOKEN });
  await gateway.services[0].start({});
  await until(() => told(service).length === 1);
  // The plugin is replaced: the gateway stays.
  await gateway.services[0].stop({});
  assert.ok(told(service).every(({ leaving }) => !leaving));
  await gateway.services[0].start({});
  await gateway.fire("gateway_stop", {}, {});
  await gateway.services[0].stop({});
  assert.equal(told(service).at(-1).leaving, true);
});
