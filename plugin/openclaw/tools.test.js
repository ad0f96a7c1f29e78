// The tools and the registration of the plugin, against a service on loopback.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fresh, load, loaderOf, MAIN, operator, turn } from "./fake_gateway.js";
import { TOKEN } from "./recording_service.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const loadWith = loaderOf(endings);

const NEUTRAL = [
  "memory_store",
  "memory_list",
  "memory_forget",
  "memory_consolidate",
  "memory_dream",
  "creative_capture",
  "creative_recall",
  "creative_job_status",
];

test("all ten tools are there in a stable order; two go by the gateway's names only where we own the memory slot", async () => {
  const manifest = JSON.parse(readFileSync(new URL("openclaw.plugin.json", import.meta.url), "utf8"));
  for (const [config, slot, names] of [
    [{}, undefined, ["nightshift_search", "nightshift_get"]],
    [{ memorySlot: "replace" }, "nightshift", ["memory_search", "memory_get"]],
    [{ memorySlot: "replace" }, "memory-core", ["nightshift_search", "nightshift_get"]],
  ]) {
    const { gateway } = await loadWith(() => ({}), config, { slot });
    const again = await loadWith(() => ({}), config, { slot });
    assert.deepEqual(Object.keys(gateway.tools).sort(), [...NEUTRAL, ...names].sort());
    assert.deepEqual(Object.keys(gateway.tools), Object.keys(again.gateway.tools));
    for (const name of Object.keys(gateway.tools)) assert.ok(manifest.contracts.tools.includes(name), name);
  }
});

test("search and store stand in every request, the others in the catalogue; each tells when to use it", async () => {
  const { gateway } = await loadWith(() => ({}));
  const tools = Object.values(gateway.tools).map((factory) => factory({ sessionKey: fresh("schemas") }));
  assert.deepEqual(
    tools.filter(({ catalogMode }) => catalogMode === "direct-only").map(({ name }) => name),
    ["nightshift_search", "memory_store"],
  );
  for (const { name, label, description, parameters } of tools) {
    assert.ok(label && description.length > 80, name);
    for (const [argument, schema] of Object.entries(parameters.properties))
      assert.ok(schema.type && schema.description.length > 10, `${name}.${argument}`);
    for (const required of parameters.required) assert.ok(parameters.properties[required], `${name}.${required}`);
  }
});

test("a tool call goes to the service as the run's person and comes back as text and details", async () => {
  const { service, gateway } = await loadWith((path) =>
    path === "/v1/tools/memory_search" ? { text: "Miso", details: { memories: [] }, isError: false } : { context: "" },
  );
  const ctx = { ...operator(fresh("tools")), channel: "telegram", senderId: "42" };
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, ctx);
  const made = {
    agentId: "main",
    sessionKey: ctx.sessionKey,
    requesterSenderId: "42",
    messageChannel: "telegram",
    nativeChannelId: "42",
    senderIsOwner: false,
  };
  const tool = gateway.tools.nightshift_search(made);
  assert.deepEqual(
    [tool.name, tool.catalogMode, tool.parameters.required],
    ["nightshift_search", "direct-only", ["query"]],
  );
  assert.deepEqual(await tool.execute("call-1", { query: "cat" }), {
    content: [{ type: "text", text: "Miso" }],
    details: { memories: [] },
  });
  const [{ session, arguments: given }] = service.calls("/v1/tools/memory_search");
  assert.deepEqual(
    [session.senderId, session.channel, session.isOwner, given],
    ["42", "telegram", false, { query: "cat" }],
  );
});

test("a tool never throws: a wrong argument and a missing service are told in its answer", async () => {
  const { service, gateway } = await loadWith(() => ({ text: "text: must not be empty", details: {}, isError: true }));
  const made = {
    agentId: "main",
    sessionKey: fresh("wrong"),
    senderIsOwner: true,
    requesterSenderId: "gateway-client",
    messageChannel: "webchat",
  };
  const wrong = await gateway.tools.memory_store(made).execute("c", { text: "" });
  assert.deepEqual([wrong.content[0].text, wrong.details.isError], ["text: must not be empty", true]);
  await service.stop();
  for (const factory of Object.values(gateway.tools)) {
    const {
      content: [{ text }],
    } = await factory(made).execute("c", undefined);
    assert.match(text, /Long-term memory can't be used right now \(.+\)\. Nothing was read or changed/);
  }
});

test("an unusable URL leaves the tools and says that memory is off; turns don't notice", async () => {
  const gateway = load({ baseUrl: "http://memory.example:1" });
  await gateway.services[0].start({});
  assert.equal(await turn(gateway, { ctx: operator(), prompt: "What is my cat called?" }), undefined);
  const {
    content: [{ text }],
  } = await gateway.tools.memory_store({ sessionKey: MAIN }).execute("c", { text: "x" });
  assert.match(text, /mode local needs a loopback address/);
  assert.deepEqual(gateway.logger.lines, [
    "warn nightshift: memory is off: baseUrl: mode local needs a loopback address; set mode to remote for another machine",
  ]);
  await gateway.services[0].stop({});
});

test("settings that were mistyped are named once, when the gateway starts", async () => {
  const gateway = load({ mode: "remote", baseUrl: "http://127.0.0.1:1", apiKey: "k", topK: "many" });
  assert.deepEqual(gateway.logger.lines, []);
  await gateway.services[0].start({});
  assert.match(
    gateway.logger.lines.join("\n"),
    /^warn nightshift: setting topK: "many" must be a number from 1 to 50, 5 is used$/,
  );
  await gateway.services[0].stop({});
});

test("registrations of one process share what they learn, and only the full one has the service", async () => {
  const { service, gateway } = await loadWith(() => ({ context: "" }), { circuitBreaker: { maxFailures: 1 } });
  const config = { baseUrl: service.url, apiKey: TOKEN, timeoutMs: 500, circuitBreaker: { maxFailures: 1 } };
  const discovery = load(config, { mode: "discovery" });
  assert.deepEqual(
    [
      gateway.services.length,
      discovery.services.length,
      Object.keys(load(config, { mode: "cli-metadata" }).tools).length,
    ],
    [1, 0, 0],
  );
  // The tools of a run may come from one registration and its hooks from another: the owner is recognised all the same.
  const ctx = { ...operator(fresh("shared")), senderId: undefined };
  for (const factory of Object.values(discovery.tools)) factory({ sessionKey: ctx.sessionKey, senderIsOwner: true });
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, ctx);
  assert.equal(service.calls("/v1/recall")[0].session.isOwner, true);
  await service.stop();
  await gateway.fire("before_prompt_build", { prompt: "What is my cat called?", messages: [] }, operator());
  const {
    content: [{ text }],
  } = await discovery.tools.memory_store({ sessionKey: MAIN }).execute("c", { text: "x" });
  assert.match(text, /it didn't answer lately/);
});
