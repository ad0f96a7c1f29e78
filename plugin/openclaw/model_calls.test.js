import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { gatewayId } from "./gateway_id.js";
import { ModelCalls } from "./model_calls.js";
import { recordingLogger, servicesOf, until } from "./recording_service.js";

const CLAIM = "/v1/model-calls/claim";
const WORDS = "quillfeather";
const endings = [];
const { serve, connect } = servicesOf(endings);

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function callOf(id, changes = {}) {
  return {
    id,
    leaseUntil: new Date(Date.now() + 60_000).toISOString(),
    messages: [{ role: "user", content: `I love ${WORDS}` }],
    systemPrompt: "Take notes.",
    maxTokens: 99,
    purpose: "extract@1",
    ...changes,
  };
}

const RESULT = {
  text: "noted",
  provider: "acme",
  model: "large",
  stopReason: "stop",
  usage: { inputTokens: 7, outputTokens: 2, costUsd: 0.01 },
};
const refusal = () =>
  Object.assign(new Error("Plugin LLM completion cannot override the target model."), {
    name: "LlmCompleteError",
    code: "LLM_COMPLETION_NOT_AUTHORIZED",
  });

/** A service with calls to claim, and a gateway whose model does as told. */
async function running({ calls = [], complete = () => RESULT, answer = () => ({ status: "accepted" }) } = {}) {
  const waiting = [...calls];
  const asked = [];
  const service = await serve({
    answer: async (path, body) => {
      if (path !== CLAIM) return answer(path, body);
      const next = waiting.shift() ?? "hang";
      return typeof next === "function" ? next() : next;
    },
  });
  const { client } = connect(service);
  const logger = recordingLogger();
  const modelCalls = new ModelCalls(
    {
      client,
      logger,
      complete: async (params) => {
        asked.push(params);
        return complete(params, asked.length);
      },
    },
    { backoffMs: [10, 20] },
  );
  endings.push(() => modelCalls.stop());
  modelCalls.start();
  const answers = () => service.requests.filter(({ path }) => path.startsWith("/v1/model-calls/") && path !== CLAIM);
  return { service, modelCalls, asked, answers, logger };
}

describe("a call", () => {
  test("is asked of the gateway's model and answered with what it says", async () => {
    const responseFormat = { type: "json_schema", json_schema: { name: "x", schema: {} } };
    const { service, asked, answers } = await running({ calls: [callOf("c1", { responseFormat })] });
    await until(() => answers().length === 1);
    assert.deepEqual(service.calls(CLAIM)[0], { gatewayId: gatewayId() });
    const [{ signal, ...params }] = asked;
    assert.ok(signal instanceof AbortSignal);
    assert.deepEqual(params, {
      messages: [{ role: "user", content: `I love ${WORDS}` }],
      systemPrompt: "Take notes.",
      maxTokens: 99,
      purpose: "nightshift extract@1",
      responseFormat,
    });
    assert.equal(answers()[0].path, "/v1/model-calls/c1");
    assert.deepEqual(answers()[0].body, { text: "noted", model: "acme/large", usage: RESULT.usage });
  });

  test("after another is claimed again and again", async () => {
    const { answers } = await running({ calls: ["c1", "c2", "c3", "c4"].map((id) => callOf(id)) });
    await until(() => answers().length === 4);
    assert.deepEqual(answers().map(({ path }) => path.at(-1)).sort(), ["1", "2", "3", "4"]);
  });

  test("is asked beside one other and no more", async () => {
    let atOnce = 0;
    let most = 0;
    const { answers } = await running({
      calls: [1, 2, 3, 4, 5, 6].map((number) => callOf(`c${number}`)),
      complete: async () => {
        most = Math.max(most, (atOnce += 1));
        await new Promise((resolve) => {
          setTimeout(resolve, 30);
        });
        atOnce -= 1;
        return RESULT;
      },
    });
    await until(() => answers().length === 6);
    assert.equal(most, 2);
  });

  test("for another model is asked of that model", async () => {
    const { asked, answers } = await running({ calls: [callOf("c1", { provider: "acme", model: "huge" })] });
    await until(() => answers().length === 1);
    assert.equal(asked[0].model, "acme/huge");
  });

  test("for a model that the operator doesn't allow is asked of the agent's own, with one warning", async () => {
    const { asked, answers, logger } = await running({
      calls: ["c1", "c2"].map((id) => callOf(id, { provider: "acme", model: "huge" })),
      complete: (params) => {
        if (params.model) throw refusal();
        return RESULT;
      },
    });
    await until(() => answers().length === 2);
    assert.deepEqual(
      answers().map(({ body }) => body.text),
      ["noted", "noted"],
    );
    assert.equal(logger.lines.filter((line) => line.includes("acme/huge")).length, 1);
    assert.ok(asked.filter(({ model }) => model).length <= 2); // two were claimed at the same time
  });

  test("is asked without a schema from then on when the provider can't take one", async () => {
    const responseFormat = { type: "json_schema", json_schema: { name: "x", schema: {} } };
    let tellFirst;
    const first = new Promise((resolve) => {
      tellFirst = resolve;
    });
    const { asked, answers } = await running({
      calls: [
        callOf("c1", { responseFormat }),
        async () => {
          await first;
          return callOf("c2", { responseFormat });
        },
      ],
      complete: (params) => (params.responseFormat ? { ...RESULT, text: "", stopReason: "error" } : RESULT),
    });
    await until(() => answers().length === 1);
    tellFirst();
    await until(() => answers().length === 2);
    assert.deepEqual(
      asked.map((params) => "responseFormat" in params),
      [true, false, false],
    );
  });

  for (const [what, complete] of [
    ["that throws", () => Promise.reject(Object.assign(new Error(`can't do ${WORDS}`), { code: "LLM_COMPLETION_FAILED" }))],
    ["that says nothing", () => ({ ...RESULT, text: "  " })],
    ["that breaks off", () => ({ ...RESULT, stopReason: "error" })],
    ["that answers something else", () => undefined],
  ]) {
    test(`of a model ${what} is answered with an error that quotes nothing`, async () => {
      const { answers, logger } = await running({ calls: [callOf("c1")], complete });
      await until(() => answers().length === 1);
      const { body } = answers()[0];
      assert.deepEqual(Object.keys(body), ["error"]);
      assert.match(body.error, /^\w+$/);
      assert.ok(!JSON.stringify([body, logger.lines]).includes(WORDS));
    });
  }

  test("whose answer doesn't arrive is answered again, one that nobody waits for is not", async () => {
    let attempts = 0;
    const { answers } = await running({
      calls: [callOf("c1")],
      answer: () => ((attempts += 1) < 3 ? "cut" : { status: 409, body: { error: { code: "conflict" } } }),
    });
    await until(() => attempts >= 3);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    assert.ok(answers().length >= 3);
    assert.equal(attempts, 3);
  });

  test("ends, and gives up on what is being asked", async () => {
    let aborted = false;
    const { modelCalls, asked, answers, service } = await running({
      calls: [callOf("c1")],
      complete: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    });
    await until(() => asked.length === 1);
    const claims = service.calls(CLAIM).length;
    modelCalls.stop();
    await until(() => aborted);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    assert.equal(answers().length, 0);
    assert.ok(service.calls(CLAIM).length <= claims + 1);
  });
});
