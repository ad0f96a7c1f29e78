// The context engine as a gateway drives it, against a service on loopback.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fitting, sentMessages } from "./engine_messages.js";
import { fresh, loaderOf, operator } from "./fake_gateway.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const loadWith = loaderOf(endings);
const away = () => ({ status: 503, body: {} });

const user = (text, more) => ({ role: "user", content: [{ type: "text", text }], idempotencyKey: `${text}:user`, ...more });
const reply = (text) => ({ role: "assistant", content: [{ type: "text", text }] });
const history = [user("one"), reply("1"), user("two"), reply("2")];

async function begun(answer, config) {
  const { service, gateway } = await loadWith(answer, config, { engine: "nightshift" });
  const ctx = operator(fresh("engine"));
  await gateway.fire("before_model_resolve", {}, ctx);
  return { service, gateway, ctx, engine: gateway.engines.nightshift() };
}

test("it declares what the gateway wants of an engine that owns the context", async () => {
  const { engine } = await begun(() => ({}));
  assert.equal(engine.info.ownsCompaction, true);
  assert.deepEqual(engine.info.transcriptSemantics, {
    currentTurnFence: "before-current-turn-entry-v1",
    turnAdvancementIdempotency: "atomic-idempotent-v1",
  });
  for (const call of ["bootstrap", "ingest", "assemble", "compact", "commitTurn", "maintain", "dispose"])
    assert.equal(typeof engine[call], "function");
});

test("a turn is shortened as the service says, and memory enters through its own message", async () => {
  const { service, gateway, ctx, engine } = await begun((path) =>
    path === "/v1/context/assemble" ? { keepFrom: 2, contextAddition: "<memory/>", estimatedTokens: 7 } : {},
  );
  const params = { sessionKey: ctx.sessionKey, messages: history, prompt: "three", tokenBudget: 900.5 };
  assert.deepEqual(await engine.assemble(params), { messages: history.slice(2), estimatedTokens: 7 });
  const given = await gateway.fire("before_prompt_build", { prompt: "three", messages: history.slice(2) }, ctx);
  assert.deepEqual(given, { prependContext: "<memory/>" });
  assert.deepEqual(service.calls("/v1/recall"), []);
  const [asked] = service.calls("/v1/context/assemble");
  assert.deepEqual([asked.session.isOwner, asked.prompt, asked.tokenBudget], [true, "three", 900]);
  assert.equal(asked.messages[0].turnKey, "one:user");
});

test("the further requests of a turn aren't shortened again", async () => {
  const { service, ctx, engine } = await begun(() => ({ keepFrom: 2, estimatedTokens: 7 }));
  const params = { sessionKey: ctx.sessionKey, messages: history, prompt: "three" };
  const { messages } = await engine.assemble(params);
  assert.equal((await engine.assemble({ ...params, messages })).messages, messages);
  assert.equal(service.calls("/v1/context/assemble").length, 1);
});

test("without the service the messages go through as they are, or as many as fit", async () => {
  const { ctx, engine, gateway } = await begun(away, { timeoutMs: 300 });
  const params = { sessionKey: ctx.sessionKey, messages: history, prompt: "three" };
  assert.equal((await engine.assemble(params)).messages, history);
  const tight = await engine.assemble({ ...params, tokenBudget: 45 });
  assert.deepEqual(tight.messages, history.slice(2));
  assert.equal(gateway.logger.lines.length, 1);
});

test("a turn that can't be committed stays in the gateway's queue, and no error tells the gateway to give up", async () => {
  const { ctx, engine } = await begun(away, { timeoutMs: 300 });
  const params = { sessionKey: ctx.sessionKey, advancementKey: "a", messages: [user("one"), reply("1")] };
  const { status } = await engine.commitTurn(params);
  assert.ok(!["committed", "duplicate"].includes(status));
});

test("a committed turn goes by the gateway's own key and isn't captured by the hooks too", async () => {
  const { service, gateway, ctx, engine } = await begun((path) =>
    path === "/v1/context/commit-turn" ? { status: "committed" } : { keepFrom: 0, estimatedTokens: 1 },
  );
  await engine.assemble({ sessionKey: ctx.sessionKey, messages: [], prompt: "one" });
  const messages = [user("one"), reply("1")];
  const params = { sessionKey: ctx.sessionKey, advancementKey: "logical-7", messages };
  assert.deepEqual(await engine.commitTurn(params), { status: "committed" });
  await gateway.fire("agent_end", { messages, success: true, runId: ctx.runId }, ctx);
  assert.deepEqual(service.calls("/v1/turns"), []);
  assert.equal(service.calls("/v1/context/commit-turn")[0].advancementKey, "one:user");
});

test("a window is moved on what the gateway showed, and on what was said since", async () => {
  const { service, ctx, engine } = await begun((path) =>
    path === "/v1/context/compact" ? { ok: true, compacted: true } : { keepFrom: 0, estimatedTokens: 7, status: "committed" },
  );
  const { sessionKey } = ctx;
  await engine.assemble({ sessionKey, messages: history, prompt: "three" });
  const turn = { sessionKey, advancementKey: "a", messages: [user("three"), reply("3")] };
  await engine.commitTurn(turn);
  await engine.commitTurn(turn); // once more, late
  await engine.compact({ sessionKey, force: true });
  const [{ messages }] = service.calls("/v1/context/compact");
  assert.deepEqual(messages, sentMessages([...history, ...turn.messages]));
});

test("machine turns aren't kept", async () => {
  const { service, ctx, engine } = await begun(() => ({}));
  const params = { sessionKey: ctx.sessionKey, advancementKey: "a", messages: [user("one"), reply("1")] };
  assert.deepEqual(await engine.commitTurn({ ...params, isHeartbeat: true }), { status: "committed" });
  assert.deepEqual(service.calls("/v1/context/commit-turn"), []);
});

test("after a restart the stored message tells who spoke", async () => {
  const { service, gateway } = await loadWith(() => ({ status: "committed" }), {}, { engine: "nightshift" });
  const said = user("one", { __openclaw: { senderId: "bo", transport: { channel: "rigchat" } } });
  const params = { sessionKey: fresh("restarted"), advancementKey: "a", messages: [said, reply("1")] };
  await gateway.engines.nightshift().commitTurn(params);
  const [{ session }] = service.calls("/v1/context/commit-turn");
  assert.deepEqual([session.senderId, session.channel, session.isOwner], ["bo", "rigchat", false]);
});

test("messages are sent without what nobody looks at, which counts by its size", () => {
  const [call, result, picture] = sentMessages([
    { role: "assistant", content: [{ type: "toolCall", name: "read", arguments: { path: "a" } }] },
    { role: "toolResult", content: [{ type: "text", text: "x".repeat(5000) }] },
    user("look", { content: [{ type: "image", data: "AAAA" }, { type: "text", text: "look" }] }),
  ]);
  assert.deepEqual(call.content, [{ type: "toolCall", name: "read" }]);
  assert.deepEqual([result.content[0].text.length, result.omittedChars], [2000, 3000]);
  assert.deepEqual(picture.content, [{ type: "image" }, { type: "text", text: "look" }]);
});

test("the end of a conversation that fits begins with somebody speaking", () => {
  assert.deepEqual(fitting([reply("x".repeat(400)), ...history], 1000), history);
  assert.deepEqual(fitting(history, 1), []);
});
