// The streaming gate as a gateway drives it, against a service on loopback.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fresh, loaderOf, operator } from "./fake_gateway.js";
import { until } from "./recording_service.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const loadWith = loaderOf(endings);
const away = () => ({ status: 503, body: {} });
const OBSERVE = "/v1/gate/observe";
const FINALIZE = "/v1/gate/finalize";

async function speaking(answer, config) {
  const { service, gateway } = await loadWith(answer, { autoRecall: false, ...config }, { engine: "nightshift" });
  const ctx = operator(fresh("gate"));
  await gateway.fire("before_prompt_build", { prompt: "hello there", messages: [] }, ctx);
  const say = (delta, stream = "assistant") =>
    gateway.subscriptions[0].handle({ runId: ctx.runId, sessionKey: ctx.sessionKey, stream, data: { delta } });
  const said = () => service.calls(OBSERVE).map(({ stream, delta }) => [stream, delta]);
  return { service, gateway, ctx, say, said };
}

test("nothing listens unless our engine owns the context", async () => {
  const { gateway } = await loadWith(() => ({}));
  assert.deepEqual([gateway.subscriptions, gateway.hooks.before_agent_finalize], [[], undefined]);
});

test("the hook that holds the answer is only there when it was asked for", async () => {
  const plain = await loadWith(() => ({}), {}, { engine: "nightshift" });
  assert.equal(plain.gateway.hooks.before_agent_finalize, undefined);
  const forced = await loadWith(() => ({}), { gate: { forceRepass: true } }, { engine: "nightshift" });
  assert.equal(forced.gateway.hooks.before_agent_finalize.length, 1);
});

test("pieces go out in sentences, in order, for whoever the run is", async () => {
  const { service, say, said } = await speaking(() => ({ staged: 0 }));
  for (const piece of ["The dome ", "opens at nine. ", "The wind ", "comes first."]) say(piece);
  await until(() => said().map(([, text]) => text).join("") === "The dome opens at nine. The wind comes first.");
  assert.ok(service.calls(OBSERVE).every(({ session }) => session.isOwner));
  assert.ok(said().length <= 3);
});

test("a sentence that doesn't end goes out after a while", async () => {
  const { say, said } = await speaking(() => ({ staged: 0 }));
  say("and so on");
  await until(() => said().length === 1);
});

test("reasoning is left out when it isn't wanted", async () => {
  const { gateway } = await speaking(() => ({}), { gate: { ingestReasoning: false } });
  assert.deepEqual(gateway.subscriptions[0].streams.includes("thinking"), false);
});

test("what waits for a slow service is bounded", async () => {
  const { service, say } = await speaking(() => "hang", { timeoutMs: 300 });
  say("One. ");
  for (let number = 0; number < 100; number++) say("x".repeat(1000));
  await until(() => service.calls(OBSERVE).length >= 1);
  assert.ok(service.calls(OBSERVE).every(({ delta }) => delta.length <= 8000));
});

test("a stale answer is sent back once with what memory knows", async () => {
  const { gateway, ctx, service } = await speaking(
    (path) => (path === FINALIZE ? { action: "revise", reason: "r", instruction: "i" } : {}),
    { gate: { forceRepass: true } },
  );
  gateway.subscriptions[0].handle({ runId: ctx.runId, sessionKey: ctx.sessionKey, stream: "tool", data: {} });
  const verdict = await gateway.fire("before_agent_finalize", { runId: ctx.runId, lastAssistantMessage: "Five." }, ctx);
  assert.deepEqual(verdict, {
    action: "revise",
    reason: "r",
    retry: { instruction: "i", idempotencyKey: `nightshift:${ctx.runId}`, maxAttempts: 1 },
  });
  assert.deepEqual([service.calls(FINALIZE)[0].toolsUsed, service.calls(FINALIZE)[0].answer], [true, "Five."]);
});

test("an answer passes when memory has nothing to say or isn't there", async () => {
  for (const answer of [() => ({ action: "finalize" }), away]) {
    const { gateway, ctx } = await speaking(answer, { gate: { forceRepass: true }, timeoutMs: 300 });
    const event = { runId: ctx.runId, lastAssistantMessage: "Five." };
    assert.deepEqual(await gateway.fire("before_agent_finalize", event, ctx), { action: "continue" });
  }
});
