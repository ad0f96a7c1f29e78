// The whole plugin, as a gateway would load and drive it, against a service on loopback.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import plugin from "./index.js";
import { recordingLogger, startService, TOKEN, until } from "./recording_service.js";

const MAIN = "agent:main:main";
const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

let number = 0;
const fresh = (name) => `agent:main:${name}-${number += 1}`;

/** Load the plugin into a gateway that keeps what was registered. */
function load(config, { mode = "full", entries = {} } = {}) {
  const gateway = { hooks: {}, tools: {}, services: [], logger: recordingLogger() };
  plugin.register({
    registrationMode: mode, pluginConfig: config, config: {}, logger: gateway.logger,
    runtime: { agent: { session: { getSessionEntry: ({ sessionKey }) => entries[sessionKey] } } },
    on: (name, handler, options) => { (gateway.hooks[name] ??= []).push({ handler, options }); },
    registerTool: (factory, { name }) => { gateway.tools[name] = factory; },
    registerService: (service) => gateway.services.push(service),
  });
  gateway.fire = async (name, event, ctx) => {
    let result;
    for (const { handler } of gateway.hooks[name] ?? []) result = (await handler(event, ctx)) ?? result;
    return result;
  };
  return gateway;
}

async function loadWith(answer, config = {}, options) {
  const service = await startService({ answer });
  endings.push(() => service.stop());
  return { service, gateway: load({ baseUrl: service.url, apiKey: TOKEN, timeoutMs: 500, ...config }, options) };
}

/** A turn as the gateway runs one; returns what the model is given besides the prompt. */
async function turn(gateway, { ctx, prompt, answer = "Miso.", history = [], senderIsOwner, success = true }) {
  const tools = { agentId: "main", sessionKey: ctx.sessionKey, requesterSenderId: ctx.senderId, messageChannel: ctx.channel, senderIsOwner };
  for (const factory of Object.values(gateway.tools)) factory(tools);
  const given = await gateway.fire("before_prompt_build", { prompt, messages: history }, ctx);
  const user = { role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now(), idempotencyKey: `${ctx.runId}:user` };
  const reply = { role: "assistant", content: [{ type: "text", text: answer }], stopReason: "stop" };
  await gateway.fire("agent_end", { messages: [...history, user, reply], success, runId: ctx.runId }, ctx);
  return given;
}

const operator = (sessionKey = MAIN) => ({ runId: `run-${number += 1}`, agentId: "main", sessionKey, sessionId: "s", trigger: "user", channel: "webchat", senderId: "gateway-client", chatId: sessionKey });

test("a turn recalls before the model is asked and captures after it answered", async () => {
  const { service, gateway } = await loadWith((path) => (path === "/v1/recall" ? { context: "<memory>Miso</memory>" } : { status: "accepted" }));
  const ctx = operator();
  assert.deepEqual(await turn(gateway, { ctx, prompt: "What is my cat called?" }), { prependContext: "<memory>Miso</memory>" });
  const [recall] = service.calls("/v1/recall");
  assert.deepEqual([recall.session.isOwner, recall.message.text, recall.budgetMs, "topK" in recall], [true, "What is my cat called?", 1400, false]);
  const [capture] = service.calls("/v1/turns");
  assert.deepEqual([capture.turnKey, capture.user.text, capture.assistant.text], [`${ctx.runId}:user`, "What is my cat called?", "Miso."]);
  assert.deepEqual(capture.session, recall.session);
  assert.deepEqual(gateway.logger.lines, []);
});

test("a second attempt of a run gets the same memories without asking again", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "M" }));
  const ctx = operator();
  const event = { prompt: "What is my cat called?", messages: [] };
  assert.deepEqual([await gateway.fire("before_prompt_build", event, ctx), await gateway.fire("before_prompt_build", event, ctx)], [{ prependContext: "M" }, { prependContext: "M" }]);
  assert.equal(service.calls("/v1/recall").length, 1);
});

test("nothing is added when nothing qualifies", async () => {
  const { gateway } = await loadWith(() => ({ context: "", memories: [] }));
  assert.equal(await turn(gateway, { ctx: operator(), prompt: "Hello there, my friend" }), undefined);
});

test("a slow service costs a turn its budget and no more, and the turn goes on", async () => {
  const { gateway } = await loadWith(() => "hang", { recallBudgetMs: 80 });
  const started = Date.now();
  assert.equal(await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, operator()), undefined);
  assert.ok(Date.now() - started < 300);
  assert.equal(gateway.hooks.before_prompt_build[0].options.timeoutMs, 580);
});

test("what the operator set goes along with each recall", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "" }), { topK: 9, minScore: 0.4, injectChars: 999, userId: "ada", timezone: "Asia/Tokyo" });
  await turn(gateway, { ctx: operator(), prompt: "What is my cat called?" });
  const [{ topK, threshold, budgetChars, session }] = service.calls("/v1/recall");
  assert.deepEqual([topK, threshold, budgetChars, session.userId, session.timezone], [9, 0.4, 999, "ada", "Asia/Tokyo"]);
});

for (const [what, change] of [
  ["a heartbeat", { trigger: "heartbeat", senderId: undefined, inputProvenance: { kind: "internal_system" } }],
  ["a flush of the host's own memory", { trigger: "memory" }],
  ["an announcement of a subagent", { runId: "announce:v1:x", senderId: undefined, inputProvenance: { kind: "inter_session" } }],
]) {
  test(`${what} neither recalls nor is captured`, async () => {
    const { service, gateway } = await loadWith(() => ({ context: "M" }));
    await turn(gateway, { ctx: { ...operator(fresh("machine")), ...change }, prompt: "Follow the instructions that stand here" });
    assert.deepEqual(service.requests, []);
  });
}

test("cron turns and subagents may ask and are never captured", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "M" }));
  for (const sessionKey of ["agent:main:cron:job:run:1", "agent:main:subagent:x"]) {
    const ctx = { ...operator(sessionKey), senderId: undefined, ...(sessionKey.includes("cron") && { trigger: "cron" }) };
    await turn(gateway, { ctx, prompt: "Look for the tide table of Porto" });
  }
  assert.deepEqual(service.calls("/v1/recall").map(({ session }) => [session.trigger, session.isOwner]), [["cron", false], ["subagent", false]]);
  assert.deepEqual(service.calls("/v1/turns"), []);
});

test("recall and capture can be switched off, each by itself", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "M" }), { autoRecall: "off" });
  assert.equal(await turn(gateway, { ctx: operator(), prompt: "What is my cat called?" }), undefined);
  assert.deepEqual([service.calls("/v1/recall").length, service.calls("/v1/turns").length], [0, 1]);
  const other = await loadWith(() => ({ context: "M" }), { autoCapture: false });
  await turn(other.gateway, { ctx: operator(), prompt: "What is my cat called?" });
  assert.deepEqual([other.service.calls("/v1/recall").length, other.service.calls("/v1/turns").length], [1, 0]);
});

test("turns of a time without service are stored when it is back, each under its own key", async () => {
  let isAway = true;
  const { service, gateway } = await loadWith((path) => (isAway ? { status: 503, body: {} } : { path }), { circuitBreaker: { maxFailures: 100 } });
  const contexts = [operator(), operator(), operator()];
  for (const ctx of contexts) await turn(gateway, { ctx, prompt: `words of ${ctx.runId}` });
  isAway = false;
  service.requests.length = 0;
  const last = operator();
  await turn(gateway, { ctx: last, prompt: "and one more" });
  await until(() => service.calls("/v1/turns").length >= 4);
  assert.deepEqual(service.calls("/v1/turns").map(({ turnKey }) => turnKey), [...contexts, last].map(({ runId }) => `${runId}:user`));
  assert.equal(gateway.logger.lines.filter((line) => line.startsWith("warn")).length, 1, gateway.logger.lines.join("\n"));
  assert.doesNotMatch(gateway.logger.lines.join(), /words of/);
});

test("the tools that call the gateway's names are ours only where we own the memory slot", async () => {
  const own = ["memory_store", "memory_list", "memory_forget", "memory_consolidate"];
  const { gateway } = await loadWith(() => ({}));
  assert.deepEqual(Object.keys(gateway.tools).sort(), [...own, "nightshift_search", "nightshift_get"].sort());
  const replaced = await loadWith(() => ({}), { memorySlot: "replace" });
  assert.deepEqual(Object.keys(replaced.gateway.tools).sort(), [...own, "memory_search", "memory_get"].sort());
  const manifest = JSON.parse(readFileSync(new URL("openclaw.plugin.json", import.meta.url), "utf8"));
  for (const name of [...Object.keys(gateway.tools), ...Object.keys(replaced.gateway.tools)]) assert.ok(manifest.contracts.tools.includes(name), name);
});

test("a tool call goes to the service as the run's person and comes back as text and details", async () => {
  const { service, gateway } = await loadWith((path) => (path === "/v1/tools/memory_search" ? { text: "Miso", details: { memories: [] }, isError: false } : { context: "" }));
  const ctx = { ...operator(fresh("tools")), channel: "telegram", senderId: "42" };
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, ctx);
  const made = { agentId: "main", sessionKey: ctx.sessionKey, requesterSenderId: "42", messageChannel: "telegram", nativeChannelId: "42", senderIsOwner: false };
  const tool = gateway.tools.nightshift_search(made);
  assert.deepEqual([tool.name, tool.catalogMode, tool.parameters.required], ["nightshift_search", "direct-only", ["query"]]);
  assert.deepEqual(await tool.execute("call-1", { query: "cat" }), { content: [{ type: "text", text: "Miso" }], details: { memories: [] } });
  const [{ session, arguments: given }] = service.calls("/v1/tools/memory_search");
  assert.deepEqual([session.senderId, session.channel, session.isOwner, given], ["42", "telegram", false, { query: "cat" }]);
});

test("a tool never throws: a wrong argument and a missing service are told in its answer", async () => {
  const { service, gateway } = await loadWith(() => ({ text: "text: must not be empty", details: {}, isError: true }));
  const made = { agentId: "main", sessionKey: fresh("wrong"), senderIsOwner: true, requesterSenderId: "gateway-client", messageChannel: "webchat" };
  const wrong = await gateway.tools.memory_store(made).execute("c", { text: "" });
  assert.deepEqual([wrong.content[0].text, wrong.details.isError], ["text: must not be empty", true]);
  await service.stop();
  for (const factory of Object.values(gateway.tools)) {
    const { content: [{ text }] } = await factory(made).execute("c", undefined);
    assert.match(text, /Long-term memory can't be used right now \(.+\)\. Nothing was read or changed/);
  }
});

test("an unusable URL leaves the tools and says that memory is off; turns don't notice", async () => {
  const gateway = load({ baseUrl: "http://memory.example:1" });
  await gateway.services[0].start({});
  assert.equal(await turn(gateway, { ctx: operator(), prompt: "What is my cat called?" }), undefined);
  const { content: [{ text }] } = await gateway.tools.memory_store({ sessionKey: MAIN }).execute("c", { text: "x" });
  assert.match(text, /mode local needs a loopback address/);
  assert.deepEqual(gateway.logger.lines, ["warn nightshift: memory is off: baseUrl: mode local needs a loopback address; set mode to remote for another machine"]);
  await gateway.services[0].stop({});
});

test("settings that were mistyped are named once, when the gateway starts", async () => {
  const gateway = load({ mode: "remote", baseUrl: "http://127.0.0.1:1", apiKey: "k", topK: "many" });
  assert.deepEqual(gateway.logger.lines, []);
  await gateway.services[0].start({});
  assert.match(gateway.logger.lines.join("\n"), /^warn nightshift: setting topK: "many" must be a number from 1 to 50, 5 is used$/);
  await gateway.services[0].stop({});
});

test("a conversation's beginning, reset and end are told, a reset once", async () => {
  const { service, gateway } = await loadWith(() => ({ sessionId: "x" }));
  const ctx = { sessionKey: MAIN, sessionId: "s", agentId: "main" };
  await gateway.fire("session_start", { sessionId: "s", sessionKey: MAIN }, ctx);
  await gateway.fire("session_end", { sessionKey: MAIN, reason: "new", nextSessionId: "s" }, ctx);
  await gateway.fire("session_start", { sessionKey: MAIN, resumedFrom: "s" }, ctx);
  await gateway.fire("before_reset", { reason: "new", messages: [{ role: "user", content: "secret" }] }, ctx);
  await gateway.fire("before_reset", { reason: "reset", messages: [] }, ctx);
  await gateway.fire("session_end", { sessionKey: MAIN, reason: "shutdown" }, ctx);
  await gateway.fire("session_end", { reason: "idle" }, { ...ctx, sessionKey: "agent:main:cron:j" });
  const told = service.requests.filter(({ path }) => path.startsWith("/v1/sessions/"));
  assert.deepEqual(told.map(({ path, body }) => [path.split("/").at(-1), body.reason]), [
    ["start", undefined], ["reset", "new"], ["start", undefined], ["reset", "reset"], ["end", "shutdown"],
  ]);
  assert.deepEqual(told[0].body.session, { agentId: "main", sessionKey: MAIN, sessionId: "s", trigger: "user", chatType: "direct", isOwner: false });
  assert.doesNotMatch(JSON.stringify(told), /secret/);
});

test("a hook that meets something unexpected lets the turn go on and quotes nothing", async () => {
  const { gateway } = await loadWith(() => ({ context: "M" }));
  const event = { get prompt() { throw new TypeError("my cat is Miso"); }, messages: [] };
  assert.equal(await gateway.fire("before_prompt_build", event, operator()), undefined);
  assert.deepEqual(gateway.logger.lines, ["warn nightshift: before_prompt_build failed (TypeError); the turn goes on without it"]);
  assert.equal(await gateway.fire("agent_end", undefined, undefined), undefined);
});

test("registrations of one process share what they learn, and only the full one has the service", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "" }), { circuitBreaker: { maxFailures: 1 } });
  const config = { baseUrl: service.url, apiKey: TOKEN, timeoutMs: 500, circuitBreaker: { maxFailures: 1 } };
  const discovery = load(config, { mode: "discovery" });
  assert.deepEqual([gateway.services.length, discovery.services.length, Object.keys(load(config, { mode: "cli-metadata" }).tools).length], [1, 0, 0]);
  // The tools of a run may come from one registration and its hooks from another: the owner is recognised all the same.
  const ctx = { ...operator(fresh("shared")), senderId: undefined };
  for (const factory of Object.values(discovery.tools)) factory({ sessionKey: ctx.sessionKey, senderIsOwner: true });
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, ctx);
  assert.equal(service.calls("/v1/recall")[0].session.isOwner, true);
  await service.stop();
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, operator());
  const { content: [{ text }] } = await discovery.tools.memory_store({ sessionKey: MAIN }).execute("c", { text: "x" });
  assert.match(text, /it didn't answer lately/);
});
