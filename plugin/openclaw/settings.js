// What the operator configured, made safe: a value out of range is clamped, an unreadable one gives way to its default,
// and each leaves a line in `problems`. Nothing that a person mistypes may stop the gateway.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { addressOf } from "./address.js";
import { ALIASES, CHOICES, GROUPS, NUMBERS, OWN, PER_CALL, SERVICE, SWITCHES } from "./setting_keys.js";

const ID = "nightshift";
// What counts in mode remote too.
const HEARD = new Set([...PER_CALL, "timezone", "privacy.uploadSummariesOnly", "privacy.ownRemote"]);
const HOOK_MARGIN_MS = 500; // an own deadline ends before the gateway's limit of the hook
const HOOK_LIMITS_MS = { before_prompt_build: 15_000, agent_end: 30_000 }; // the gateway's own, when nobody set another

/**
 * Read the plugin's configuration.
 * @param {unknown} raw Value of `plugins.entries.nightshift.config`, secrets resolved.
 * @param {{ env?: Record<string, string | undefined>, gateway?: any, pluginFolder?: string }} [around] The environment,
 *   the gateway's configuration, and where it found this plugin.
 */
export function readSettings(raw, { env = process.env, gateway, pluginFolder } = {}) {
  const problems = [];
  const given = flatten(raw, problems);
  const settings = { problems, pluginFolder };
  for (const key of Object.keys(NUMBERS)) settings[key] = number(key, given, problems);
  for (const key of Object.keys(CHOICES)) settings[key] = choice(key, given, problems);
  for (const key of Object.keys(SWITCHES)) settings[key] = flag(key, given, problems);
  settings.ownsMemory = ownsMemory(settings.memorySlot, { gateway, problems });
  settings.home = folder(given.get("local.home") ?? env.NIGHTSHIFT_HOME, "~/.nightshift");
  settings.command = given.get("local.command");
  settings.pythonPath = text(given.get("local.pythonPath"));
  settings.apiKey = text(given.get("apiKey"));
  settings.timezone =
    zone("timezone", given.get("timezone"), problems) ??
    zone("agents.defaults.userTimezone", gateway?.agents?.defaults?.userTimezone, problems);
  settings.explicit = new Set(given.keys());
  settings.serviceEnvironment = serviceEnvironment(given, { timezone: settings.timezone, gateway });
  const limit = hookLimits(gateway);
  settings.recallDeadlineMs = Math.min(settings.recallBudgetMs, limit("before_prompt_build"));
  settings.captureDeadlineMs = Math.min(settings.timeoutMs, limit("agent_end"));
  Object.assign(
    settings,
    addressOf({
      wanted: text(given.get("baseUrl")),
      port: env.NIGHTSHIFT_PORT,
      mode: settings.mode,
      apiKey: settings.apiKey,
      mayReceiveTurns: settings["privacy.ownRemote"] || !settings["privacy.uploadSummariesOnly"],
    }),
  );
  if (settings.mode === "remote") problems.push(...withoutEffect(given));
  return settings;
}

/** Name of the environment variable of a setting: `topK` is `NIGHTSHIFT_TOP_K`, `qdrant.url` `NIGHTSHIFT_QDRANT_URL`. */
export function variable(key) {
  return `NIGHTSHIFT_${key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}

function flatten(raw, problems) {
  const given = new Map();
  if (raw === undefined || raw === null) return given;
  if (!isRecord(raw)) {
    problems.push("config: must be an object, defaults are used");
    return given;
  }
  const put = (key, value) => {
    if (value === undefined || value === null) return;
    const name = Object.hasOwn(ALIASES, key) ? ALIASES[key] : key;
    if (name !== key) problems.push(`${key}: understood as ${name}`);
    if (!OWN.has(name) && !SERVICE.has(name)) problems.push(`${key}: not a setting of Nightshift`);
    else given.set(name, value);
  };
  for (const [key, value] of Object.entries(raw)) {
    if (!GROUPS.has(key)) put(key, value);
    else if (isRecord(value)) for (const [name, inner] of Object.entries(value)) put(`${key}.${name}`, inner);
    else if (value !== undefined && value !== null) problems.push(`${key}: ${show(value)} must be an object`);
  }
  if (given.get("mode") === "cloud") {
    problems.push("mode: cloud is understood as remote");
    given.set("mode", "remote");
  }
  if (given.get("scope") === "global") given.set("scope", "fixed");
  return given;
}

function number(key, given, problems) {
  const [standard, low, high] = NUMBERS[key];
  if (!given.has(key)) return standard;
  const value = given.get(key);
  const parsed = typeof value === "string" && value.trim() ? Number(value) : value;
  if (typeof parsed !== "number" || !Number.isFinite(parsed)) {
    problems.push(`${key}: ${show(value)} must be a number from ${low} to ${high}, ${standard} is used`);
    return standard;
  }
  const clamped = Math.min(Math.max(parsed, low), high);
  if (clamped !== parsed) problems.push(`${key}: ${show(value)} is outside ${low} to ${high}, ${clamped} is used`);
  return clamped;
}

function choice(key, given, problems) {
  const [standard] = CHOICES[key];
  if (!given.has(key)) return standard;
  const word = String(given.get(key)).trim().toLowerCase();
  if (CHOICES[key].includes(word)) return word;
  problems.push(`${key}: ${show(given.get(key))} must be one of ${CHOICES[key].join(", ")}, ${standard} is used`);
  return standard;
}

function flag(key, given, problems) {
  const standard = SWITCHES[key];
  if (!given.has(key)) return standard;
  const word = String(given.get(key)).trim().toLowerCase();
  if (["true", "on", "yes", "1"].includes(word)) return true;
  if (["false", "off", "no", "0"].includes(word)) return false;
  problems.push(`${key}: ${show(given.get(key))} must be true or false, ${standard} is used`);
  return standard;
}

/**
 * Whether we are the gateway's memory: only with both the setting and the slot, else names of tools would collide or
 * nobody would have them.
 */
function ownsMemory(memorySlot, { gateway, problems }) {
  const owner = gateway?.plugins?.slots?.memory;
  const hasSlot = owner === ID;
  if (memorySlot === "replace" && !hasSlot)
    problems.push(
      `memorySlot: replace needs plugins.slots.memory to be ${ID}, which is ${show(owner ?? "memory-core")}; until then memory lives beside the gateway's own (nightshift connect sets both)`,
    );
  if (memorySlot !== "replace" && hasSlot)
    problems.push(
      `plugins.slots.memory: is ${ID}, but memorySlot is ${memorySlot}, so the gateway has no memory of its own; set memorySlot to replace, or run nightshift connect`,
    );
  return memorySlot === "replace" && hasSlot;
}

/** Settings of a service that somebody else starts. */
function withoutEffect(given) {
  const unheard = [...given.keys()].filter((key) => SERVICE.has(key) && !OWN.has(key) && !HEARD.has(key));
  return unheard.length
    ? [`${unheard.join(", ")}: without effect in mode remote, set at the service in its preferences.json`]
    : [];
}

/** An IANA time zone, or undefined for what isn't one. */
function zone(key, value, problems) {
  const name = text(value);
  if (name === undefined) return undefined;
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError("an offset isn't a zone");
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone && name;
  } catch {
    problems.push(`${key}: ${show(value)} must be an IANA time zone such as Europe/Lisbon, the system's is used`);
    return undefined;
  }
}

function serviceEnvironment(given, { timezone, gateway }) {
  const environment = {};
  for (const [key, value] of given) {
    if (SERVICE.has(key)) environment[variable(key)] = typeof value === "string" ? value : JSON.stringify(value);
  }
  delete environment.NIGHTSHIFT_TIMEZONE;
  if (timezone) environment.NIGHTSHIFT_TIMEZONE = timezone;
  // Accounts that the gateway itself knows as one person's.
  const links = gateway?.session?.identityLinks;
  if (isRecord(links)) environment.NIGHTSHIFT_IDENTITY_LINKS ??= JSON.stringify(links);
  return environment;
}

function hookLimits(gateway) {
  const hooks = gateway?.plugins?.entries?.nightshift?.hooks;
  return (name) => Math.max(50, (hooks?.timeouts?.[name] ?? hooks?.timeoutMs ?? HOOK_LIMITS_MS[name]) - HOOK_MARGIN_MS);
}

function folder(value, standard) {
  const path = text(value) ?? standard;
  return resolve(path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path);
}

const text = (value) => (typeof value === "string" && value.trim() ? value.trim() : undefined);
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const show = (value) => JSON.stringify(value)?.slice(0, 80);
