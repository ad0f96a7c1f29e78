// What the gateway loads: wires hooks, tools and the sidecar to one client. Nothing is started here, since the gateway
// registers a plugin several times in one process.
import { setTimeout } from "node:timers/promises";
import { Client } from "./client.js";
import { registerEngine } from "./engine.js";
import { keepGatewayId } from "./gateway_id.js";
import { registerGate } from "./gate.js";
import { registerHooks } from "./hooks.js";
import { registerMemory } from "./memory_slot.js";
import { ModelCalls } from "./model_calls.js";
import { Outbox } from "./outbox.js";
import { Presence } from "./presence.js";
import { sharedRuns } from "./runs.js";
import { readSettings } from "./settings.js";
import { Signals } from "./signals.js";
import { Sidecar } from "./sidecar.js";
import { registerTools } from "./tools.js";

const LAST_FLUSH_MS = 1500;
const LINK = Symbol.for("nightshift.link.v1");

export default {
  id: "nightshift",
  name: "Nightshift",
  description: "Long-term memory: recalls before the agent answers, captures after it",
  kind: ["memory", "context-engine"],

  register(api) {
    if (api.registrationMode === "cli-metadata" || api.registrationMode === "setup-only") return;
    const { logger } = api;
    const settings = readSettings(api.pluginConfig, { gateway: api.config, pluginFolder: api.rootDir });
    keepGatewayId(stateFolderOf(api));
    const parts = {
      ...sharedLink(settings, logger),
      runs: sharedRuns(),
      settings,
      entryOf: (ctx) => entryOf(api, ctx),
    };
    registerTools(api, parts);
    registerHooks(api, parts);
    registerEngine(api, parts);
    registerGate(api, parts);
    registerMemory(api, parts);
    if (api.registrationMode === undefined || api.registrationMode === "full") registerService(api, parts);
  },
};

/**
 * The way to the service, one for all registrations with the same settings: what one of them learns of the service's
 * health, the others need, and turns that wait must not be divided among them.
 */
function sharedLink(settings, logger) {
  const key = JSON.stringify(settings, (_, value) => (value instanceof Set ? [...value] : value));
  if (globalThis[LINK]?.key === key) return globalThis[LINK].link;
  const client = new Client(settings, { logger });
  const outbox = new Outbox((turn) => client.post("/v1/turns", turn, { timeoutMs: settings.captureDeadlineMs }), {
    logger,
  });
  client.onUp(() => void outbox.flush());
  const link = { client, outbox };
  globalThis[LINK] = { key, link };
  return link;
}

function registerService(api, { client, outbox, settings }) {
  const { logger } = api;
  const sidecar = new Sidecar({ settings, client, logger });
  const presence = new Presence({ client, outbox });
  const modelCalls = modelCallsOf(api, { client, settings });
  const signals = settings.autoCapture ? new Signals({ client }) : undefined;
  let isEnding = false;
  api.on("gateway_stop", () => {
    isEnding = true;
  });
  api.registerService({
    id: "nightshift",
    start() {
      for (const problem of settings.problems) logger.warn(`nightshift: setting ${problem}`);
      if (settings.off) {
        logger.warn(`nightshift: memory is off: ${settings.off}`);
        return;
      }
      if (settings.mode === "local") sidecar.start();
      presence.start();
      modelCalls?.start();
      signals?.start();
    },
    async stop() {
      modelCalls?.stop();
      signals?.stop();
      if (!settings.off) await Promise.race([outbox.flush(), setTimeout(LAST_FLUSH_MS, undefined, { ref: false })]);
      // When only the plugin is replaced, turns that still wait go on being delivered.
      if (isEnding) outbox.close();
      const others = isEnding && !settings.off ? await presence.leave() : 0;
      presence.stop();
      await sidecar.stop({ isFinal: isEnding, isUsed: others > 0 });
      client.close();
    },
  });
}

/** Answers the service's questions with the gateway's model; undefined where another model is configured. */
function modelCallsOf(api, { client, settings }) {
  const provider = settings.serviceEnvironment.NIGHTSHIFT_CHAT_MODEL_PROVIDER ?? "gateway";
  const llm = api.runtime?.llm;
  if (provider.trim().toLowerCase() !== "gateway" || typeof llm?.complete !== "function") return undefined;
  return new ModelCalls({ client, complete: (params) => llm.complete(params), logger: api.logger });
}

/** Where the gateway keeps its own things; undefined where it has no such place. */
function stateFolderOf(api) {
  try {
    return api.runtime.state.resolveStateDir(process.env);
  } catch {
    return undefined;
  }
}

/** The gateway's entry of a session; absent before a session's first turn and where the gateway has no sessions. */
function entryOf(api, { sessionKey, agentId }) {
  if (!sessionKey) return undefined;
  try {
    return api.runtime.agent.session.getSessionEntry({ sessionKey, ...(agentId && { agentId }) });
  } catch {
    return undefined;
  }
}
