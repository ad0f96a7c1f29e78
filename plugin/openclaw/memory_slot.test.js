// The two ways to live in the gateway, against a service on loopback.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fresh, loaderOf, operator } from "./fake_gateway.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const loadWith = loaderOf(endings);

const MISO = {
  kref: "kref://CognitiveMemory/personal/cat-name.fact",
  id: "01J",
  text: "The user's cat is called Miso.\nShe is grey.\nShe is nine.",
  kind: "fact",
  score: 0.82,
  speaker: "bob",
  origin: "user",
  createdAt: "2026-05-02T10:00:00Z",
};
const answers = (path) => {
  if (path === "/v1/recall") return { context: "" };
  if (path === "/v1/tools/memory_search") return { text: "Miso", details: { memories: [MISO] }, isError: false };
  return { text: "Miso", details: { memory: MISO }, isError: false };
};
/** A run that asks its model and isn't over. */
const begin = (gateway, ctx) => gateway.fire("before_prompt_build", { prompt: "What is my cat called?" }, ctx);
const asked = ({ service }) => service.calls("/v1/tools/memory_search").at(-1);
const person = ({ session: { senderId, channel, isOwner } }) => [senderId, channel, isOwner];

test("a hit has our corpus, its address as path, kind, speaker, source and where it is from", async () => {
  const { service, gateway } = await loadWith(answers);
  const ctx = operator(fresh("corpus"));
  await begin(gateway, ctx);
  const [hit] = await gateway.memory.corpus.search({ query: "cat", maxResults: 3, agentSessionKey: ctx.sessionKey });
  assert.deepEqual(hit, {
    corpus: "nightshift",
    path: MISO.kref,
    id: MISO.id,
    title: "2026-05-02 The user's cat is called Miso.",
    kind: "fact",
    speaker: "bob",
    source: "user",
    provenanceLabel: "Nightshift",
    updatedAt: "2026-05-02T10:00:00Z",
    score: 0.82,
    snippet: `bob: ${MISO.text}`,
    startLine: 1,
    endLine: 3,
    citation: MISO.kref,
  });
  assert.deepEqual(asked({ service }).arguments, { query: "cat", topK: 3 });
});

test("where more than one person reads, the label says so", async () => {
  const shared = { memories: [{ ...MISO, imported: true }], memory: MISO, shared: true };
  const { gateway } = await loadWith(() => ({ text: "", details: shared, isError: false }));
  const agentSessionKey = "agent:main:telegram:group:7";
  const [hit] = await gateway.memory.corpus.search({ query: "cat", agentSessionKey });
  assert.deepEqual([hit.provenanceLabel, hit.source], ["Nightshift (shared)", "imported user"]);
  const read = await gateway.memory.corpus.get({ lookup: MISO.kref, agentSessionKey });
  assert.equal(read.provenanceLabel, "Nightshift (shared)");
});

test("it is asked for the person of the run in progress, and for nobody before and after it", async () => {
  const it = await loadWith(answers);
  const { gateway } = it;
  const ctx = operator(fresh("identity"));
  const search = () => gateway.memory.corpus.search({ query: "cat", agentSessionKey: ctx.sessionKey });
  const get = () => gateway.memory.corpus.get({ lookup: MISO.kref, agentSessionKey: ctx.sessionKey });
  assert.deepEqual([await search(), await get()], [[], null]);
  await begin(gateway, ctx);
  assert.equal((await search()).length, 1);
  assert.equal(asked(it).session.isOwner, true);
  await gateway.fire("agent_end", { messages: [], success: true, runId: ctx.runId }, ctx);
  assert.deepEqual([await search(), await get()], [[], null]);
  assert.equal(it.service.calls("/v1/tools/memory_search").length, 1);
});

test("two people's runs on one session key: nobody's memory, until one of them is over", async () => {
  const it = await loadWith(answers);
  const { gateway } = it;
  const bob = { ...operator(fresh("both")), channel: "telegram", senderId: "bob", chatId: "bob" };
  const alice = { ...bob, runId: `${bob.runId}-alice`, senderId: "alice", chatId: "alice" };
  const search = () => gateway.memory.corpus.search({ query: "cat", agentSessionKey: bob.sessionKey });
  await begin(gateway, bob);
  await begin(gateway, alice);
  assert.deepEqual(await search(), []);
  assert.equal(asked(it), undefined);
  await gateway.fire("agent_end", { messages: [], runId: bob.runId }, bob);
  await search();
  assert.deepEqual(person(asked(it)), ["alice", "telegram", false]);
  // A second attempt of the same run is the same person's.
  await begin(gateway, { ...alice });
  await search();
  assert.equal(asked(it).session.senderId, "alice");
});

test("without a session key nothing is asked; of a room only the room is", async () => {
  const it = await loadWith(answers);
  const { corpus } = it.gateway.memory;
  assert.deepEqual(await corpus.search({ query: "cat" }), []);
  assert.equal(await corpus.get({ lookup: MISO.kref }), null);
  await corpus.search({ query: "cat", agentId: "main", agentSessionKey: "agent:main:telegram:group:7" });
  const { session } = asked(it);
  assert.deepEqual(
    [session.chatType, session.chatId, session.senderId, session.isOwner],
    ["group", "7", undefined, false],
  );
});

test("an address is read in lines from 1; what isn't an address is left to the gateway's own memory", async () => {
  const { service, gateway } = await loadWith(answers);
  const ctx = operator(fresh("get"));
  await begin(gateway, ctx);
  const agentSessionKey = ctx.sessionKey;
  const get = (query) => gateway.memory.corpus.get({ agentSessionKey, ...query });
  const whole = await get({ lookup: MISO.kref });
  assert.deepEqual([whole.content, whole.fromLine, whole.lineCount, whole.path], [MISO.text, 1, 3, MISO.kref]);
  const part = await get({ lookup: MISO.kref, fromLine: 2, lineCount: 1 });
  assert.deepEqual([part.content, part.fromLine, part.lineCount], ["She is grey.", 2, 1]);
  const past = await get({ lookup: MISO.kref, fromLine: 9 });
  assert.deepEqual([past.content, past.lineCount], ["", 0]);
  const before = service.requests.length;
  for (const lookup of ["MEMORY.md", "memory/2026-05-02.md", "kref://", "", undefined])
    assert.equal(await get({ lookup }), null);
  assert.equal(service.requests.length, before);
});

test("what isn't there is null; a service that is away is told, not hidden", async () => {
  const missing = { text: "not found", details: { code: "not_found" }, isError: true };
  const { service, gateway } = await loadWith(() => missing);
  const { corpus } = gateway.memory;
  const agentSessionKey = "agent:main:telegram:group:8";
  assert.equal(await corpus.get({ lookup: MISO.kref, agentSessionKey }), null);
  await assert.rejects(corpus.search({ query: "cat", agentSessionKey }), /not found/);
  await service.stop();
  await assert.rejects(corpus.search({ query: "cat", agentSessionKey }), /long-term memory can't be used right now/);
  await assert.rejects(corpus.get({ lookup: MISO.kref, agentSessionKey }), /can't be used right now/);
});

test("beside: supplements and no capability; as the gateway's memory: the capability and no supplements", async () => {
  const beside = (await loadWith(answers)).gateway.memory;
  assert.deepEqual(Object.keys(beside).sort(), ["corpus", "section"]);
  const own = (await loadWith(answers, { memorySlot: "replace" }, { slot: "nightshift" })).gateway.memory;
  assert.deepEqual(Object.keys(own), ["capability"]);
  assert.equal(own.capability.flushPlanResolver({ contextWindowTokens: 200_000 }), null);
  assert.match(own.capability.promptBuilder({ availableTools: ["memory_search"] }).join("\n"), /run memory_search/);
  const bare = await loadWith(answers, { corpusSupplement: "off", promptSupplement: "off" });
  assert.deepEqual(bare.gateway.memory, {});
  const silent = await loadWith(answers, { memorySlot: "replace", promptSupplement: false }, { slot: "nightshift" });
  assert.deepEqual(silent.gateway.memory.capability.promptBuilder({ availableTools: ["memory_search"] }), []);
});

test("the prompt section names only tools that are there, and is the same from turn to turn", async () => {
  const { gateway } = await loadWith(answers);
  const section = (...availableTools) => gateway.memory.section({ availableTools: new Set(availableTools) });
  assert.deepEqual(section(), []);
  assert.deepEqual(section("read", "write"), []);
  const NAMES = /\b(?:memory|nightshift|creative)_[a-z_]+/g;
  const all = ["nightshift_search", "nightshift_get", "memory_search", "memory_get", "memory_store", "memory_forget"];
  const kept = ["creative_capture", "creative_recall"];
  for (const tools of [all, kept, [...all, ...kept], ["nightshift_search"], ["memory_search"], ["memory_store"]]) {
    const named = new Set(
      section(...tools)
        .join("\n")
        .match(NAMES),
    );
    assert.deepEqual(
      [...named].filter((name) => !tools.includes(name)),
      [],
    );
  }
  assert.match(section(...all).join("\n"), /memory_search .* corpus "all" or "wiki"/);
  assert.equal(section(...all), section(...all.toReversed()));
});

test("the section doesn't speak of the gateway's search when our corpus isn't behind it, nor of recall when it is off", async () => {
  const config = { corpusSupplement: false, autoRecall: false };
  const { gateway } = await loadWith(answers, config);
  const text = gateway.memory.section({ availableTools: ["memory_search", "nightshift_search"] }).join("\n");
  assert.doesNotMatch(text, /\bmemory_search|before you answer, in a block/);
  assert.match(text, /nightshift_search/);
});
