// The hooks as a gateway drives them, against a service on loopback.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fresh, loaderOf, MAIN, operator, turn } from "./fake_gateway.js";
import { until } from "./recording_service.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const loadWith = loaderOf(endings);

test("a turn recalls before the model is asked and captures after it answered", async () => {
  const { service, gateway } = await loadWith((path) =>
    path === "/v1/recall" ? { context: "<memory>Miso</memory>" } : { status: "accepted" },
  );
  const ctx = operator();
  assert.deepEqual(await turn(gateway, { ctx, prompt: "What is my cat called?" }), {
    prependContext: "<memory>Miso</memory>",
  });
  const [recall] = service.calls("/v1/recall");
  assert.deepEqual(
    [recall.session.isOwner, recall.message.text, recall.budgetMs, "topK" in recall],
    [true, "What is my cat called?", 1400, false],
  );
  const [capture] = service.calls("/v1/turns");
  assert.deepEqual(
    [capture.turnKey, capture.user.text, capture.assistant.text],
    [`${ctx.runId}:user`, "What is my cat called?", "Miso."],
  );
  assert.deepEqual(capture.session, recall.session);
  assert.deepEqual(gateway.logger.lines, []);
});

test("a second attempt of a run gets the same memories without asking again", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "M" }));
  const ctx = operator();
  const event = { prompt: "What is my cat called?", messages: [] };
  assert.deepEqual(
    [await gateway.fire("before_prompt_build", event, ctx), await gateway.fire("before_prompt_build", event, ctx)],
    [{ prependContext: "M" }, { prependContext: "M" }],
  );
  assert.equal(service.calls("/v1/recall").length, 1);
});

test("nothing is added when nothing qualifies", async () => {
  const { gateway } = await loadWith(() => ({ context: "", memories: [] }));
  assert.equal(await turn(gateway, { ctx: operator(), prompt: "Hello there, my friend" }), undefined);
});

test("a slow service costs a turn its budget and no more, and the turn goes on", async () => {
  const { gateway } = await loadWith(() => "hang", { recallBudgetMs: 80 });
  const started = Date.now();
  assert.equal(
    await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, operator()),
    undefined,
  );
  assert.ok(Date.now() - started < 1500);
  assert.equal(gateway.hooks.before_prompt_build[0].options.timeoutMs, 580);
});

test("what the operator set goes along with each recall", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "" }), {
    topK: 9,
    minScore: 0.4,
    injectChars: 999,
    reinject: "Once",
    dedupeWindow: 7,
    userId: "ada",
    timezone: "Asia/Tokyo",
  });
  await turn(gateway, { ctx: operator(), prompt: "What is my cat called?" });
  const [{ topK, threshold, budgetChars, session, ...rest }] = service.calls("/v1/recall");
  assert.deepEqual([topK, threshold, budgetChars, session.timezone], [9, 0.4, 999, "Asia/Tokyo"]);
  assert.deepEqual([rest.reinject, rest.dedupeWindow], ["once", 7]);
});

for (const [what, change] of [
  ["a heartbeat", { trigger: "heartbeat", senderId: undefined, inputProvenance: { kind: "internal_system" } }],
  ["a flush of the host's own memory", { trigger: "memory" }],
  [
    "an announcement of a subagent",
    { runId: "announce:v1:x", senderId: undefined, inputProvenance: { kind: "inter_session" } },
  ],
]) {
  test(`${what} neither recalls nor is captured`, async () => {
    const { service, gateway } = await loadWith(() => ({ context: "M" }));
    await turn(gateway, {
      ctx: { ...operator(fresh("machine")), ...change },
      prompt: "Follow the instructions that stand here",
    });
    assert.deepEqual(service.requests, []);
  });
}

test("cron turns and subagents may ask and are never captured", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "M" }));
  for (const sessionKey of ["agent:main:cron:job:run:1", "agent:main:subagent:x"]) {
    const ctx = {
      ...operator(sessionKey),
      senderId: undefined,
      ...(sessionKey.includes("cron") && { trigger: "cron" }),
    };
    await turn(gateway, { ctx, prompt: "Look for the tide table of Porto" });
  }
  assert.deepEqual(
    service.calls("/v1/recall").map(({ session }) => [session.trigger, session.isOwner]),
    [
      ["cron", false],
      ["subagent", false],
    ],
  );
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
  const { service, gateway } = await loadWith((path) => (isAway ? { status: 503, body: {} } : { path }), {
    circuitBreaker: { maxFailures: 100 },
  });
  const contexts = [operator(), operator(), operator()];
  for (const ctx of contexts) await turn(gateway, { ctx, prompt: `words of ${ctx.runId}` });
  isAway = false;
  service.requests.length = 0;
  const last = operator();
  await turn(gateway, { ctx: last, prompt: "and one more" });
  await until(() => service.calls("/v1/turns").length >= 4);
  assert.deepEqual(
    service.calls("/v1/turns").map(({ turnKey }) => turnKey),
    [...contexts, last].map(({ runId }) => `${runId}:user`),
  );
  assert.equal(
    gateway.logger.lines.filter((line) => line.startsWith("warn")).length,
    1,
    gateway.logger.lines.join("\n"),
  );
  assert.doesNotMatch(gateway.logger.lines.join(), /words of/);
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
  assert.deepEqual(
    told.map(({ path, body }) => [path.split("/").at(-1), body.reason]),
    [
      ["start", undefined],
      ["reset", "new"],
      ["start", undefined],
      ["reset", "reset"],
      ["end", "shutdown"],
    ],
  );
  assert.deepEqual(told[0].body.session, {
    agentId: "main",
    sessionKey: MAIN,
    sessionId: "s",
    trigger: "user",
    chatType: "direct",
    isOwner: false,
  });
  assert.doesNotMatch(JSON.stringify(told), /secret/);
});

test("a hook that meets something unexpected lets the turn go on and quotes nothing", async () => {
  const { gateway } = await loadWith(() => ({ context: "M" }));
  const event = {
    get prompt() {
      throw new TypeError("my cat is Miso");
    },
    messages: [],
  };
  assert.equal(await gateway.fire("before_prompt_build", event, operator()), undefined);
  assert.deepEqual(gateway.logger.lines, [
    "warn nightshift: before_prompt_build failed (TypeError); the turn goes on without it",
  ]);
  assert.equal(await gateway.fire("agent_end", undefined, undefined), undefined);
});
