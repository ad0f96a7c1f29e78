// For the tests: as much of a gateway as loads the plugin and drives its hooks and tools, in the order of the real one.
import plugin from "./index.js";
import { recordingLogger, startService, TOKEN } from "./recording_service.js";

export const MAIN = "agent:main:main";
let number = 0;

/** A session key that no other test uses: what the plugin remembers of sessions is kept for the process. */
export const fresh = (name) => `agent:main:${name}-${(number += 1)}`;

/** Load the plugin into a gateway that keeps what was registered. */
export function load(config, { mode = "full", entries = {}, slot, engine } = {}) {
  const gateway = { hooks: {}, tools: {}, services: [], memory: {}, engines: {}, subscriptions: [], logger: recordingLogger() };
  plugin.register({
    registrationMode: mode,
    pluginConfig: config,
    config: { plugins: { slots: { ...(slot && { memory: slot }), ...(engine && { contextEngine: engine }) } } },
    logger: gateway.logger,
    runtime: { agent: { session: { getSessionEntry: ({ sessionKey }) => entries[sessionKey] } } },
    on: (name, handler, options) => {
      (gateway.hooks[name] ??= []).push({ handler, options });
    },
    registerTool: (factory, { name }) => {
      gateway.tools[name] = factory;
    },
    registerMemoryCapability: (capability) => {
      gateway.memory.capability = capability;
    },
    registerMemoryPromptSupplement: (section) => {
      gateway.memory.section = section;
    },
    registerMemoryCorpusSupplement: (corpus) => {
      gateway.memory.corpus = corpus;
    },
    registerContextEngine: (id, factory) => {
      gateway.engines[id] = factory;
    },
    agent: { events: { registerAgentEventSubscription: (wanted) => gateway.subscriptions.push(wanted) } },
    registerService: (service) => gateway.services.push(service),
  });
  gateway.fire = async (name, event, ctx) => {
    let result;
    for (const { handler } of gateway.hooks[name] ?? []) result = (await handler(event, ctx)) ?? result;
    return result;
  };
  return gateway;
}

/** Loads the plugin with a service that answers as told; what ends the service is put into `endings`. */
export function loaderOf(endings) {
  return async (answer, config = {}, options = {}) => {
    const service = await startService({ answer });
    endings.push(() => service.stop());
    return { service, gateway: load({ baseUrl: service.url, apiKey: TOKEN, timeoutMs: 500, ...config }, options) };
  };
}

/** A turn as the gateway runs one; returns what the model is given besides the prompt. */
export async function turn(gateway, { ctx, prompt, answer = "Miso.", history = [], senderIsOwner, success = true }) {
  const tools = {
    agentId: "main",
    sessionKey: ctx.sessionKey,
    requesterSenderId: ctx.senderId,
    messageChannel: ctx.channel,
    senderIsOwner,
  };
  for (const factory of Object.values(gateway.tools)) factory(tools);
  const given = await gateway.fire("before_prompt_build", { prompt, messages: history }, ctx);
  const user = {
    role: "user",
    content: [{ type: "text", text: prompt }],
    timestamp: Date.now(),
    idempotencyKey: `${ctx.runId}:user`,
  };
  const reply = { role: "assistant", content: [{ type: "text", text: answer }], stopReason: "stop" };
  await gateway.fire("agent_end", { messages: [...history, user, reply], success, runId: ctx.runId }, ctx);
  return given;
}

/** Context of a turn of the operator in the web chat. */
export const operator = (sessionKey = MAIN) => ({
  runId: `run-${(number += 1)}`,
  agentId: "main",
  sessionKey,
  sessionId: "s",
  trigger: "user",
  channel: "webchat",
  senderId: "gateway-client",
  chatId: sessionKey,
});
