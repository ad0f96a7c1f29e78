// Recall before the model is asked, with what the agent is to be reminded of; capture after it answered, and the beginnings and ends of conversations.
import { BoundedMap, cut } from "./bounded.js";
import { parseKey } from "./identity.js";
import { noteFor } from "./signals.js";
import { exchanges, recallRequest } from "./turn.js";

export const NO_RECALL = new Set(["heartbeat", "boot", "memory"]);
const SESSION_MS = 1500; // at a shutdown all plugins share two seconds
const REASON_CHARS = 64;
const SESSIONS = 500;
const BUDGET_SHARE_MS = 100; // what the way there and back may take of the recall's time

/**
 * @param {any} api The gateway's plugin api.
 * @param {{ client: object, outbox: object, runs: object, settings: object, entryOf: (ctx: object) => object | undefined }} parts
 */
export function registerHooks(api, parts) {
  const { runs, settings } = parts;
  const toldResets = new BoundedMap(SESSIONS);
  const safely = (name, handle) => async (event, ctx) => {
    try {
      return await handle(event ?? {}, ctx ?? {});
    } catch (error) {
      // Never the message of an unexpected error: it may quote the words of a turn.
      api.logger.warn(`nightshift: ${name} failed (${error?.name ?? "error"}); the turn goes on without it`);
      return undefined;
    }
  };
  const on = (name, handle, options) => api.on(name, safely(name, handle), options);
  on("message_received", (event, ctx) => runs.noteMessage(event, ctx));
  on("before_dispatch", (event, ctx) => runs.noteMessage(event, ctx));
  on("subagent_spawned", (event, ctx) =>
    runs.noteSpawn(event.childSessionKey ?? ctx.childSessionKey, ctx.requesterSessionKey),
  );
  on("before_model_resolve", (event, ctx) => runs.noteStart(ctx));
  on("before_prompt_build", (event, ctx) => dress(event, ctx, parts), { timeoutMs: settings.recallDeadlineMs + 500 });
  on("agent_end", (event, ctx) => {
    runs.end(event.runId ?? ctx.runId);
    return capture(event, ctx, parts);
  });
  on("session_start", (event, ctx) => tellSession("start", { event, ctx, parts }));
  on("session_end", (event, ctx) => {
    const isReset = event.reason === "new" || event.reason === "reset";
    if (isReset) toldResets.set(ctx.sessionKey ?? event.sessionKey, true);
    return tellSession(isReset ? "reset" : "end", { event, ctx, parts });
  });
  // The gateway tells of a reset twice, before and after it started the new conversation; once is enough.
  on("before_reset", (event, ctx) =>
    toldResets.delete(ctx.sessionKey) ? undefined : tellSession("reset", { event, ctx, parts }),
  );
}

/** What goes around the words: memories before them, and behind them what the service asks the agent to do. */
async function dress(event, ctx, { client, runs, settings, entryOf }) {
  const run = runs.begin(ctx, { entry: entryOf(ctx), settings });
  run.historyLength ??= Array.isArray(event.messages) ? event.messages.length : 0;
  const recalls = mayRecall(run, settings);
  // A second attempt of the same run starts from the bare message again, and gets the same memories.
  if (recalls) run.context ??= await contextOf(event, { client, settings, session: run.session });
  const context = recalls && run.context;
  const note = noteFor(run, settings);
  if (!context && !note) return undefined;
  return { ...(context && { prependContext: context }), ...(note && { appendContext: note }) };
}

/** Whether memory may enter a run. */
export function mayRecall(run, settings) {
  return !settings.off && settings.autoRecall && !run?.isMachine && !NO_RECALL.has(run?.session.trigger);
}

/** The block to put before the words: empty when nothing qualified, undefined when nobody could say. */
async function contextOf(event, { client, settings, session }) {
  const request = recallRequest(event, { session, at: new Date().toISOString() });
  if (!request) return undefined;
  const timeoutMs = settings.recallDeadlineMs;
  const budgetMs = Math.max(50, timeoutMs - BUDGET_SHARE_MS);
  const sent = await client.post("/v1/recall", { ...request, ...limits(settings), budgetMs }, { timeoutMs });
  if (!sent.ok) return undefined;
  return typeof sent.body.context === "string" ? sent.body.context : "";
}

/** What the operator set for this gateway; everything else is the service's to choose. */
function limits({ explicit, topK, searchThreshold, injectChars, reinject, dedupeWindow }) {
  return {
    ...(explicit.has("topK") && { topK: Math.round(topK) }),
    ...(explicit.has("searchThreshold") && { threshold: searchThreshold }),
    ...(explicit.has("injectChars") && { budgetChars: Math.round(injectChars) }),
    ...(explicit.has("reinject") && { reinject }),
    ...(explicit.has("dedupeWindow") && { dedupeWindow: Math.round(dedupeWindow) }),
  };
}

async function capture(event, ctx, { outbox, runs, settings, entryOf }) {
  const run = runs.of(ctx, { entry: entryOf(ctx), settings });
  if (
    settings.off ||
    !settings.autoCapture ||
    run.isMachine ||
    run.isEngines || // our context engine keeps this turn
    run.session.trigger !== "user" ||
    event.success === false
  )
    return;
  for (const turn of exchanges({ ...event, runId: event.runId ?? ctx.runId }, run)) await outbox.add(turn);
}

async function tellSession(what, { event, ctx, parts: { client, runs, settings, entryOf } }) {
  const sessionKey = ctx.sessionKey ?? event.sessionKey;
  if (settings.off || !sessionKey || ["cron", "subagent", "hook"].includes(parseKey(sessionKey).kind)) return;
  const about = { ...ctx, sessionKey, sessionId: ctx.sessionId ?? event.sessionId };
  const session = runs.ofSession(about, { entry: entryOf(about), settings });
  const reason = typeof event.reason === "string" ? cut(event.reason, REASON_CHARS) : undefined;
  await client.post(
    `/v1/sessions/${what}`,
    { session, ...(reason && { reason }) },
    { timeoutMs: Math.min(SESSION_MS, settings.timeoutMs) },
  );
}
