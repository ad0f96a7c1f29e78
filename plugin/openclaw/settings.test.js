import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ALIASES, KEYS, NUMBERS } from "./setting_keys.js";
import { readSettings, variable } from "./settings.js";

const read = (raw, around = {}) => readSettings(raw, { env: {}, ...around });

test("without a configuration every setting has its default and nothing is wrong", () => {
  const settings = read(undefined);
  assert.deepEqual(settings.problems, []);
  assert.equal(settings.off, undefined);
  assert.equal(settings.baseUrl, "http://127.0.0.1:7461");
  assert.equal(settings.home, join(homedir(), ".nightshift"));
  assert.deepEqual(
    [settings.mode, settings.memorySlot, settings.timeoutMs, settings.recallBudgetMs],
    ["local", "supplement", 5000, 1500],
  );
  assert.deepEqual([settings["circuitBreaker.maxFailures"], settings["circuitBreaker.cooldownMs"]], [3, 60_000]);
  assert.deepEqual([settings.autoRecall, settings.autoCapture, settings["privacy.ownRemote"]], [true, true, false]);
});

for (const [raw, key, value, words] of [
  [{ timeoutMs: 10 }, "timeoutMs", 250, /timeoutMs: 10 is outside 250 to 120000/],
  [{ timeoutMs: 9e9 }, "timeoutMs", 120_000, /outside/],
  [{ timeoutMs: "soon" }, "timeoutMs", 5000, /"soon" must be a number from 250 to 120000/],
  [{ timeoutMs: NaN }, "timeoutMs", 5000, /must be a number/],
  [{ topK: "7" }, "topK", 7, null],
  [{ searchThreshold: -1 }, "searchThreshold", 0, /outside 0 to 1/],
  [{ circuitBreaker: { maxFailures: 0 } }, "circuitBreaker.maxFailures", 1, /circuitBreaker.maxFailures: 0 is outside/],
  [{ memorySlot: "both" }, "memorySlot", "supplement", /memorySlot: "both" must be one of supplement, replace/],
  [{ mode: ["local"] }, "mode", "local", null],
  [{ reinject: "twice" }, "reinject", "relevant", /reinject: "twice" must be one of relevant, once, relevant is used/],
  [{ dedupeWindow: 9000 }, "dedupeWindow", 5000, /dedupeWindow: 9000 is outside 0 to 5000/],
  [{ autoRecall: "off" }, "autoRecall", false, null],
  [{ autoRecall: "maybe" }, "autoRecall", true, /autoRecall: "maybe" must be true or false/],
  [{ timezone: "Mars/Olympus" }, "timezone", undefined, /timezone: "Mars\/Olympus" must be an IANA time zone/],
  [{ timezone: "+02:00" }, "timezone", undefined, /must be an IANA time zone/],
  [{ timezone: "Europe/Lisbon" }, "timezone", "Europe/Lisbon", null],
  [{ minScore: 0.5 }, "searchThreshold", 0.5, /minScore: understood as searchThreshold/],
  [{ timeout: 1000 }, "timeoutMs", 1000, /timeout: understood as timeoutMs/],
  [{ colour: "blue" }, "topK", 5, /colour: not a setting of Nightshift/],
  [{ local: { pot: 1 } }, "topK", 5, /local.pot: not a setting/],
  ["nonsense", "topK", 5, /config: must be an object/],
  [{ topK: null, colour: null, circuitBreaker: null }, "topK", 5, null],
  [{ circuitBreaker: 7 }, "circuitBreaker.maxFailures", 3, /circuitBreaker: 7 must be an object/],
  [{ constructor: 1 }, "topK", 5, /constructor: not a setting/],
]) {
  test(`${JSON.stringify(raw)} gives ${key} ${value}`, () => {
    const settings = read(raw);
    assert.equal(settings[key], value);
    if (words) assert.match(settings.problems.join("\n"), words);
    else assert.deepEqual(settings.problems, []);
  });
}

for (const [raw, words] of [
  [{ baseUrl: "not a url" }, /baseUrl: is not a URL/],
  [{ baseUrl: "ftp://127.0.0.1" }, /must start with http/],
  [{ baseUrl: "http://ada:secret@127.0.0.1:7461" }, /must not hold a user or password/],
  [{ baseUrl: "http://memory.example:7461" }, /mode local needs a loopback address/],
  [{ mode: "remote" }, /needs the URL of your own service/],
  [{ mode: "cloud", apiKey: "k" }, /needs the URL/],
  [{ mode: "remote", baseUrl: "http://memory.example", apiKey: "k" }, /https:\/\/ only/],
  [
    { mode: "remote", baseUrl: "https://memory.example", privacy: { ownRemote: true } },
    /mode: remote needs the service's token in apiKey/,
  ],
  [
    { mode: "remote", baseUrl: "https://memory.example", apiKey: "k" },
    /privacy.ownRemote: a remote service gets every/,
  ],
]) {
  test(`${JSON.stringify(raw)} turns memory off and says why`, () => {
    const { off } = read(raw);
    assert.match(off, words);
    assert.doesNotMatch(off, /secret/);
  });
}

test("remote over https, or to this machine, is let through", () => {
  assert.equal(
    read({ mode: "remote", baseUrl: "https://memory.example/ns/", apiKey: "k", privacy: { ownRemote: "yes" } }).baseUrl,
    "https://memory.example/ns",
  );
  const other = { mode: "remote", baseUrl: "https://memory.example", apiKey: "k" };
  assert.equal(read({ ...other, privacy: { uploadSummariesOnly: false } }).off, undefined);
  assert.equal(read({ mode: "remote", baseUrl: "http://127.0.0.1:9", apiKey: "k" }).off, undefined);
});

test("home and port come from the environment unless they are configured", () => {
  const env = { NIGHTSHIFT_HOME: "/var/lib/ns", NIGHTSHIFT_PORT: "7999" };
  assert.deepEqual([read({}, { env }).home, read({}, { env }).baseUrl], ["/var/lib/ns", "http://127.0.0.1:7999"]);
  const own = read({ local: { home: "~/memory" }, baseUrl: "http://localhost:1234" }, { env });
  assert.deepEqual([own.home, own.baseUrl], [join(homedir(), "memory"), "http://localhost:1234"]);
});

test("what the service needs reaches it under the names it reads", () => {
  assert.equal(variable("idleConsolidationTimeout"), "NIGHTSHIFT_IDLE_CONSOLIDATION_TIMEOUT");
  const { serviceEnvironment } = read({
    topK: 9,
    scope: "global",
    qdrant: { url: "http://q", apiKey: "k" },
    identityLinks: { ada: ["telegram:1"] },
    mode: "local",
  });
  assert.deepEqual(serviceEnvironment, {
    NIGHTSHIFT_TOP_K: "9",
    NIGHTSHIFT_SCOPE: "fixed",
    NIGHTSHIFT_QDRANT_URL: "http://q",
    NIGHTSHIFT_QDRANT_API_KEY: "k",
    NIGHTSHIFT_IDENTITY_LINKS: '{"ada":["telegram:1"]}',
  });
});

test("the gateway's own identity links count unless others are configured", () => {
  const gateway = { session: { identityLinks: { ada: ["telegram:1"] } } };
  const linksOf = (raw) => read(raw, { gateway }).serviceEnvironment.NIGHTSHIFT_IDENTITY_LINKS;
  assert.equal(linksOf({}), '{"ada":["telegram:1"]}');
  assert.equal(linksOf({ identityLinks: { bo: ["slack:2"] } }), '{"bo":["slack:2"]}');
});

test("the gateway's time zone and hook limits count", () => {
  const gateway = {
    agents: { defaults: { userTimezone: "Asia/Tokyo" } },
    plugins: { entries: { nightshift: { hooks: { timeoutMs: 20_000, timeouts: { before_prompt_build: 1000 } } } } },
  };
  const settings = read({ recallBudgetMs: 9000, timeoutMs: 60_000 }, { gateway });
  assert.equal(settings.timezone, "Asia/Tokyo");
  assert.equal(settings.serviceEnvironment.NIGHTSHIFT_TIMEZONE, "Asia/Tokyo");
  assert.deepEqual([settings.recallDeadlineMs, settings.captureDeadlineMs], [500, 19_500]);
  assert.deepEqual([read({ timeoutMs: 60_000 }).captureDeadlineMs, read({}).recallDeadlineMs], [29_500, 1500]);
});

test("settings of a service that somebody else starts are named as without effect", () => {
  const raw = {
    mode: "remote",
    baseUrl: "http://127.0.0.1:9",
    apiKey: "k",
    topK: 3,
    sessionTtl: 100,
    qdrant: { url: "q" },
  };
  assert.deepEqual(read(raw).problems, [
    "sessionTtl, qdrant.url: without effect in mode remote, set at the service in its preferences.json",
  ]);
});

test("we own the gateway's memory only when setting and slot agree, and say so when they don't", () => {
  const withSlot = (raw, memory) => read(raw, { gateway: { plugins: { slots: { memory } } } });
  const both = withSlot({ memorySlot: "replace" }, "nightshift");
  assert.deepEqual([both.ownsMemory, both.problems], [true, []]);
  const beside = withSlot({}, "memory-core");
  assert.deepEqual([beside.ownsMemory, beside.problems], [false, []]);
  for (const memory of [undefined, "memory-core", "none"]) {
    const wanted = withSlot({ memorySlot: "replace" }, memory);
    assert.equal(wanted.ownsMemory, false);
    assert.match(wanted.problems[0], /memorySlot: replace needs plugins.slots.memory to be nightshift, which is "/);
  }
  const orphan = withSlot({}, "nightshift");
  assert.equal(orphan.ownsMemory, false);
  assert.match(orphan.problems[0], /plugins.slots.memory: is nightshift, but memorySlot is supplement/);
});

test("the manifest accepts any configuration, hints at every key and hides the secret ones", () => {
  const manifest = JSON.parse(readFileSync(new URL("openclaw.plugin.json", import.meta.url), "utf8"));
  assert.deepEqual(manifest.configSchema, { type: "object", additionalProperties: true, properties: {} });
  assert.deepEqual(Object.keys(manifest.uiHints).sort(), [...KEYS, ...Object.keys(ALIASES)].sort());
  for (const key of Object.keys(manifest.uiHints)) {
    const [group, name] = key.split(".");
    const { problems } = read(name ? { [group]: { [name]: "x" } } : { [key]: "x" });
    assert.ok(!problems.some((line) => line.includes("not a setting")), key);
  }
  for (const { path } of manifest.configContracts.secretInputs.paths)
    assert.equal(manifest.uiHints[path]?.sensitive, true, path);
  for (const [key, hint] of Object.entries(manifest.uiHints)) {
    assert.ok(hint.label && hint.help, key);
    assert.match(
      hint.help,
      Object.hasOwn(ALIASES, key) ? new RegExp(`Another name of ${ALIASES[key]}`) : /Default: /,
      key,
    );
  }
  for (const [key, [standard, low, high]] of Object.entries(NUMBERS))
    assert.ok(manifest.uiHints[key].help.includes(`Default: ${standard}, ${low} to ${high}.`), key);
});
