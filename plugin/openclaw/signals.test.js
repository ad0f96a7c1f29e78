import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { fresh, load, loaderOf, operator, turn } from "./fake_gateway.js";
import { servicesOf, TOKEN, until } from "./recording_service.js";
import { NOTE, OpenSignals, openSignals, Signals } from "./signals.js";

const PATH = "/v1/signals";
const endings = [];
const { serve, connect } = servicesOf(endings);
const loadWith = loaderOf(endings);
let number = 1000;

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const ANA = { agentId: "main", sessionKey: "agent:main:main", channel: "signal", senderId: "ana", trigger: "user" };

function signalOf(session, changes = {}) {
  const deadline = new Date(Date.now() + 60_000).toISOString();
  return { id: (number += 1), type: "before_compaction", session, deadline, reason: "threshold", ...changes };
}

/** The operator's session as the plugin tells it to the service. */
const sessionOf = ({ sessionKey, channel }) => ({ agentId: "main", sessionKey, channel, isOwner: true });

describe("an open signal", () => {
  test("is for its session and person, once", () => {
    const open = new OpenSignals();
    const signal = signalOf(ANA);
    open.add(signal);
    assert.equal(open.take({ ...ANA, sessionKey: "agent:main:other" }), false);
    assert.equal(open.take({ ...ANA, agentId: "cook" }), false);
    assert.equal(open.take({ ...ANA, senderId: "bo" }), false);
    assert.equal(open.take({ ...ANA, channel: "matrix" }), false);
    assert.equal(open.take(ANA), true);
    assert.equal(open.take(ANA), false);
    open.add(signal); // the service tells it again after the plugin was replaced
    assert.equal(open.take(ANA), false);
  });

  test("that names nobody is for whoever speaks next", () => {
    const open = new OpenSignals();
    open.add(signalOf({ agentId: "main", sessionKey: ANA.sessionKey }));
    assert.equal(open.take({ ...ANA, senderId: "bo" }), true);
  });

  test("of the operator, who goes without an id, is for nobody else", () => {
    const open = new OpenSignals();
    const { senderId: _, ...operators } = { ...ANA, isOwner: true };
    open.add(signalOf(operators));
    assert.equal(open.take({ ...ANA, senderId: "bo", isOwner: false }), false);
    assert.equal(open.take(operators), true);
  });

  test("is over at its deadline", () => {
    let now = Date.now();
    const open = new OpenSignals({ now: () => now });
    open.add(signalOf(ANA));
    now += 61_000;
    assert.equal(open.take(ANA), false);
    open.add(signalOf(ANA));
    assert.equal(open.take(ANA), false);
  });

  for (const [what, changes] of [
    ["of another kind", { type: "after_compaction" }],
    ["without a session", { session: undefined }],
    ["without a number", { id: "x" }],
    ["without a deadline", { deadline: "soon" }],
  ]) {
    test(`${what} is left`, () => {
      const open = new OpenSignals();
      open.add(signalOf(ANA, changes));
      assert.equal(open.take(ANA), false);
    });
  }

  test("makes room for others without end", () => {
    const open = new OpenSignals();
    for (let at = 0; at < 1000; at++) open.add(signalOf({ ...ANA, sessionKey: `agent:main:${at}` }));
    assert.equal(open.take({ ...ANA, sessionKey: "agent:main:0" }), false);
    assert.equal(open.take({ ...ANA, sessionKey: "agent:main:999" }), true);
  });
});

describe("listening", () => {
  test("asks behind the newest signal it was told, whatever it was told", async () => {
    const [first, second] = [signalOf(ANA), signalOf({ ...ANA, sessionKey: "agent:main:b" })];
    const answers = [{ signals: [first, second] }, { signals: [null, { id: second.id + 5 }] }];
    const open = new OpenSignals();
    const service = await serve({ answer: () => answers.shift() ?? "hang" });
    const signals = new Signals({ client: connect(service).client, open });
    endings.push(() => signals.stop());
    signals.start();
    await until(() => service.calls(PATH).length === 3);
    assert.deepEqual(service.calls(PATH), [{ since: 0 }, { since: second.id }, { since: second.id + 5 }]);
    assert.equal(open.take(ANA), true);
  });

  test("outlives answers that say nothing", async () => {
    const answers = [{}, { signals: "many" }];
    const service = await serve({ answer: () => answers.shift() ?? "hang" });
    const signals = new Signals({ client: connect(service).client, open: new OpenSignals() });
    endings.push(() => signals.stop());
    signals.start();
    await until(() => service.calls(PATH).length === 3);
    assert.deepEqual(service.calls(PATH).at(-1), { since: 0 });
  });

  test("begins and ends with the gateway's service, and not at all where nothing is captured", async () => {
    const service = await serve({ answer: (path) => (path === PATH ? "hang" : {}) });
    const config = { mode: "remote", baseUrl: service.url, apiKey: TOKEN };
    const gateway = load(config);
    await gateway.services[0].start({});
    await until(() => service.calls(PATH).length === 1);
    await gateway.services[0].stop({});
    const silent = load({ ...config, autoCapture: false });
    await silent.services[0].start({});
    await until(() => service.calls("/v1/gateways").length >= 2);
    await silent.services[0].stop({});
    assert.equal(service.calls(PATH).length, 1);
  });
});

describe("the next turn", () => {
  const recalled = () => ({ context: "M" });
  const spoken = (gateway, ctx, prompt = "What is my cat called?") => turn(gateway, { ctx, prompt });

  test("asks the agent to keep what it made, the one after it doesn't", async () => {
    const { gateway, service } = await loadWith(recalled);
    const key = fresh("signalled");
    openSignals().add(signalOf(sessionOf(operator(key))));
    assert.deepEqual(await spoken(gateway, operator(fresh("other"))), { prependContext: "M" });
    assert.deepEqual(await spoken(gateway, operator(key)), { prependContext: "M", appendContext: NOTE });
    assert.deepEqual(await spoken(gateway, operator(key)), { prependContext: "M" });
    assert.doesNotMatch(JSON.stringify(service.requests), /creative_capture/);
  });

  test("asks again when the same run is tried again", async () => {
    const { gateway } = await loadWith(() => ({ context: "" }));
    const ctx = operator(fresh("again"));
    openSignals().add(signalOf(sessionOf(ctx)));
    const event = { prompt: "What is my cat called?", messages: [] };
    for (let attempt = 0; attempt < 2; attempt++)
      assert.deepEqual(await gateway.fire("before_prompt_build", event, ctx), { appendContext: NOTE });
  });

  test("asks whether or not memories are recalled, and not where nothing is captured", async () => {
    const key = fresh("switches");
    openSignals().add(signalOf(sessionOf(operator(key))));
    const deaf = await loadWith(recalled, { autoCapture: false });
    assert.deepEqual(await spoken(deaf.gateway, operator(key)), { prependContext: "M" });
    const silent = await loadWith(recalled, { autoRecall: false });
    assert.deepEqual(await spoken(silent.gateway, operator(key)), { appendContext: NOTE });
  });

  for (const [what, change] of [
    ["a heartbeat", { trigger: "heartbeat" }],
    ["a cron job", { trigger: "cron" }],
    ["another program", { inputProvenance: { kind: "inter_session" } }],
  ]) {
    test(`of ${what} leaves it to the person's next one`, async () => {
      const { gateway } = await loadWith(() => ({ context: "" }));
      const key = fresh("machine");
      openSignals().add(signalOf({ agentId: "main", sessionKey: key }));
      assert.equal(await spoken(gateway, { ...operator(key), ...change }), undefined);
      assert.deepEqual(await spoken(gateway, operator(key)), { appendContext: NOTE });
    });
  }
});
