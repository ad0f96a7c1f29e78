// The context engine that `plugins.slots.contextEngine: "nightshift"` selects: every call of the gateway's contract is
// passed on to the service, which keeps the state. The gateway gives up an engine for good once it throws, so nothing
// here does: without the service the messages go through as they are.
import { BoundedMap } from "./bounded.js";
import { mayRecall, NO_RECALL } from "./hooks.js";
import { estimateTokens, fitting, sentMessages } from "./engine_messages.js";
import { readShown, readWhole } from "./engine_transcript.js";
import { turnKeyOf } from "./turn.js";
import { typedWords } from "./words.js";

const ENGINE = "nightshift";
const SESSIONS = 500;
const SLOW_MS = 15_000; // a transcript that is taken over or compacted may be long
const TRIM_SHARE = 0.5; // of the budget, when the service is away and the provider refused what we sent
const SEEN_SESSIONS = 50; // a transcript each
const STORE = Symbol.for("nightshift.engine.v2");
const INFO = {
  id: ENGINE,
  name: "Nightshift",
  ownsCompaction: true,
  transcriptSemantics: {
    currentTurnFence: "before-current-turn-entry-v1",
    turnAdvancementIdempotency: "atomic-idempotent-v1",
  },
};

/** What outlives an engine: the gateway makes a new one for each turn, and several registrations of the plugin. */
function shared() {
  globalThis[STORE] ??= {
    takenOver: new BoundedMap(SESSIONS), // session key -> true, once its earlier words were offered to the service
    // session key -> the transcript as the gateway showed it last, with what was said since, in the service's form
    seen: new BoundedMap(SEEN_SESSIONS),
    shown: new BoundedMap(SESSIONS), // session key -> first message we returned: the gateway shows them again in a turn
    trims: new BoundedMap(SESSIONS), // session key -> true while only shortening by ourselves gets a turn through
  };
  return globalThis[STORE];
}

/**
 * @param {any} api The gateway's plugin api.
 * @param {{ client: object, runs: object, settings: object, entryOf: (ctx: object) => object | undefined }} parts
 */
export function registerEngine(api, parts) {
  if (typeof api.registerContextEngine !== "function") return;
  api.registerContextEngine(ENGINE, () => new Engine(api, parts));
}

/** Which transcript a call of the gateway is about. */
const targetOf = ({ sessionTarget, sessionKey, sessionId, agentId }) => sessionTarget ?? { sessionKey, sessionId, agentId };

class Engine {
  info = INFO;
  #api;
  #client;
  #parts;
  #state = shared();

  constructor(api, parts) {
    this.#api = api;
    this.#client = parts.client;
    this.#parts = parts;
  }

  async bootstrap(params) {
    const { sessionKey } = params;
    if (!sessionKey || this.#state.takenOver.has(sessionKey)) return { bootstrapped: true };
    this.#state.takenOver.set(sessionKey, true);
    return this.#safely("bootstrap", { bootstrapped: false }, async () => {
      const messages = sentMessages(await readWhole(targetOf(params)));
      if (messages.length === 0) return { bootstrapped: true, importedMessages: 0 };
      const sent = await this.#post("bootstrap", { session: this.#session(params), messages }, SLOW_MS);
      if (!sent.ok) this.#state.takenOver.delete(sessionKey);
      return sent.ok ? { bootstrapped: true, importedMessages: sent.body.imported } : { bootstrapped: false };
    });
  }

  async ingest() {
    return { ingested: false }; // never asked of an engine with commitTurn, which keeps turns
  }

  async assemble(params) {
    const { messages, sessionKey, tokenBudget } = params;
    const whole = { messages, estimatedTokens: estimateTokens(messages) };
    // Before every further request of a turn the gateway shows what it was given; memory entered with the first.
    if (messages.length > 0 && this.#state.shown.get(sessionKey) === messages[0]) return whole;
    return this.#safely("assemble", this.#shortened(params, whole), async () => {
      const run = this.#run(params);
      this.#state.seen.set(sessionKey, sentMessages(messages));
      const sent = await this.#post("assemble", {
        session: run?.session ?? this.#session(params),
        messages: this.#state.seen.get(sessionKey),
        ...(params.prompt !== undefined && mayRecall(run, this.#parts.settings) && { prompt: typedWords(params.prompt) }),
        ...(tokenBudget && { tokenBudget: Math.floor(tokenBudget) }),
      });
      if (!sent.ok) return this.#shortened(params, whole);
      this.#state.trims.delete(sessionKey);
      if (run && params.prompt !== undefined) {
        run.isEngines = true;
        run.context = sent.body.contextAddition ?? "";
      }
      const kept = sent.body.keepFrom > 0 ? messages.slice(sent.body.keepFrom) : messages;
      this.#state.shown.set(sessionKey, kept[0]);
      return { messages: kept, estimatedTokens: sent.body.estimatedTokens };
    });
  }

  async commitTurn(params) {
    // What isn't committed stays in the gateway's own queue on disk. An unknown status puts it there; an error would
    // make the gateway give up the engine.
    const notNow = { status: "unavailable" };
    return this.#safely("commit", notNow, async () => {
      const first = params.messages?.find((message) => message?.role === "user");
      if (!first || params.isHeartbeat) return { status: "committed" };
      this.#see(params);
      const run = this.#run(params);
      if (run?.isMachine || NO_RECALL.has(run?.session.trigger)) return { status: "committed" };
      const sent = await this.#post("commit-turn", {
        session: this.#speaker(first, run?.session ?? this.#session(params)),
        advancementKey: turnKeyOf(first) ?? params.advancementKey,
        at: new Date(typeof first.timestamp === "number" ? first.timestamp : Date.now()).toISOString(),
        messages: sentMessages(params.messages),
      });
      if (sent.ok) return { status: sent.body.status };
      return sent.isRetryable ? notNow : { status: "committed" }; // what the service refuses, it refuses again
    });
  }

  async compact(params) {
    const { sessionKey, currentTokenCount, tokenBudget } = params;
    this.#state.shown.delete(sessionKey);
    return this.#safely("compact", this.#trim(params), async () => {
      // The gateway merges and drops messages before it shows them; a window must be counted on what it shows.
      const messages = this.#state.seen.get(sessionKey) ?? sentMessages(await readShown(targetOf(params)));
      const sent = await this.#post(
        "compact",
        {
          session: this.#run(params)?.session ?? this.#session(params),
          messages,
          force: params.force === true,
          ...(tokenBudget && { tokenBudget: Math.floor(tokenBudget) }),
          ...(currentTokenCount && { currentTokenCount: Math.floor(currentTokenCount) }),
        },
        SLOW_MS,
      );
      if (!sent.ok) return this.#trim(params);
      const { ok, compacted, reason, tokensBefore, tokensAfter } = sent.body;
      return { ok, compacted, ...(reason && { reason }), result: { tokensBefore, tokensAfter } };
    });
  }

  async maintain() {
    return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
  }

  async prepareSubagentSpawn({ parentSessionKey, childSessionKey }) {
    // A subagent reads what its parent's person reads; it has no state of its own that could be left behind.
    this.#parts.runs.noteSpawn(childSessionKey, parentSessionKey);
    return undefined;
  }

  async onSubagentEnded({ childSessionKey }) {
    for (const map of Object.values(this.#state)) map.delete(childSessionKey);
  }

  async dispose() {}

  /** The run that is about to ask its model, with the one who speaks. */
  #run({ sessionKey }) {
    const ctx = this.#parts.runs.starting(sessionKey);
    if (!ctx) return undefined;
    return this.#parts.runs.begin(ctx, { entry: this.#parts.entryOf(ctx), settings: this.#parts.settings });
  }

  /** A conversation without a run of its own, such as for `/compact`: whoever spoke last on it, else nobody. */
  #session(params) {
    const { runs, settings, entryOf } = this.#parts;
    const about = { sessionKey: params.sessionKey, sessionId: params.sessionId, agentId: params.agentId };
    return runs.lastOn(params.sessionKey) ?? runs.ofSession(about, { entry: entryOf(about), settings });
  }

  /** After a restart of the gateway the stored message is all that tells who spoke. */
  #speaker(message, session) {
    const { senderId, senderIsOwner, senderName, transport } = message.__openclaw ?? {};
    if (session.senderId || session.isOwner || !(senderId || senderIsOwner)) return session;
    return {
      ...session,
      ...(senderId && { senderId }),
      ...(senderName && { senderName }),
      ...(transport?.channel && { channel: transport.channel }),
      isOwner: senderIsOwner === true && session.channel !== "http",
    };
  }

  /** Add a finished turn to what was seen; a late one stands there already. */
  #see({ sessionKey, messages }) {
    const seen = this.#state.seen.get(sessionKey);
    const said = sentMessages(messages);
    const key = said.find((message) => message.turnKey)?.turnKey;
    const isNew = key && seen?.every((message) => message.turnKey !== key);
    if (isNew) this.#state.seen.set(sessionKey, [...seen, ...said]);
  }

  #post(call, body, timeoutMs) {
    return this.#client.post(`/v1/context/${call}`, body, { timeoutMs: timeoutMs ?? this.#parts.settings.timeoutMs });
  }

  /** Without the service: as much of the end as fits, so that a long conversation goes on all the same. */
  #shortened({ messages, sessionKey, tokenBudget }, whole) {
    const isTrimming = this.#state.trims.has(sessionKey);
    if (!tokenBudget || (!isTrimming && whole.estimatedTokens <= tokenBudget)) return whole;
    const kept = fitting(messages, tokenBudget * (isTrimming ? TRIM_SHARE : 1));
    return { messages: kept, estimatedTokens: estimateTokens(kept) };
  }

  #trim({ sessionKey, tokenBudget, currentTokenCount }) {
    this.#state.trims.set(sessionKey, true);
    const tokensBefore = currentTokenCount ?? tokenBudget ?? 0;
    return {
      ok: true,
      compacted: true,
      reason: "the memory service is away; only the end of the conversation is shown until it is back",
      result: { tokensBefore, tokensAfter: Math.floor(tokensBefore * TRIM_SHARE) },
    };
  }

  async #safely(what, fallback, work) {
    if (this.#parts.settings.off) return fallback;
    try {
      return await work();
    } catch (error) {
      // Only the error's name: its message may quote the words of a turn.
      this.#api.logger.warn(`nightshift: context ${what} failed (${error?.name ?? "error"}); the turn goes on without it`);
      return fallback;
    }
  }
}
