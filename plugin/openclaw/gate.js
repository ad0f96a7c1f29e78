// The streaming gate: what the agent thinks and says goes to the service in sentences, which stages memory for the next
// context. Only with `gate.forceRepass` is a finished answer checked before it is delivered, because the gateway holds
// every piece of every answer while that hook is registered.
import { BoundedMap, cut } from "./bounded.js";

const ID = "nightshift";
const RUNS = 200;
const PIECE_MS = 250;
const PIECE_CHARS = 8000; // what waits for a slow service; more is dropped, the stream never waits
const SENTENCE_END = /[.!?\u2026\u3002\uff01\uff1f][\s"')\]]*$|\n$/;
const OBSERVE_MS = 2000;
const FINALIZE_MS = 4000;
const ANSWER_CHARS = 32_000;
const STORE = Symbol.for("nightshift.gate.v1"); // events and hooks of a run may belong to different registrations

/**
 * @param {any} api The gateway's plugin api.
 * @param {{ client: object, runs: object, settings: object }} parts
 */
export function registerGate(api, parts) {
  const { settings } = parts;
  const isOurs = api.config?.plugins?.slots?.contextEngine === ID;
  if (settings.off || !isOurs || !settings["gate.interruptGate"]) return;
  const gate = new Gate(api, parts);
  api.agent?.events?.registerAgentEventSubscription?.({
    id: "nightshift-gate",
    streams: ["assistant", "tool", "lifecycle", ...(settings["gate.ingestReasoning"] ? ["thinking"] : [])],
    handle: (event) => gate.take(event),
  });
  if (!settings["gate.forceRepass"]) return;
  api.on("before_agent_finalize", (event, ctx) => gate.finalize(event, ctx), { timeoutMs: FINALIZE_MS + 1000 });
}

class Gate {
  #api;
  #client;
  #runs;
  #streams = (globalThis[STORE] ??= new BoundedMap(RUNS)); // run id -> what is known of it

  constructor(api, { client, runs }) {
    this.#api = api;
    this.#client = client;
    this.#runs = runs;
  }

  /** An event of the agent; returns at once. */
  take({ runId, stream, data }) {
    if (!runId) return;
    if (stream === "lifecycle") {
      if (data?.phase === "end" || data?.phase === "error") this.#end(runId);
      return;
    }
    const run = this.#of(runId);
    if (stream === "tool") run.toolsUsed = true;
    else if (typeof data?.delta === "string") this.#add(run, stream, data.delta);
  }

  /** Whether a finished answer is delivered as it is; a failure lets it pass. */
  async finalize(event, ctx) {
    const runId = event.runId ?? ctx.runId;
    const session = this.#runs.of({ ...ctx, runId }).session;
    const answer = cut(String(event.lastAssistantMessage ?? ""), ANSWER_CHARS);
    if (!answer.trim()) return { action: "continue" };
    const body = { session, runId, answer, toolsUsed: this.#streams.get(runId)?.toolsUsed === true };
    const sent = await this.#client.post("/v1/gate/finalize", body, { timeoutMs: FINALIZE_MS });
    if (!sent.ok || sent.body.action !== "revise") return { action: "continue" };
    const { reason, instruction } = sent.body;
    return { action: "revise", reason, retry: { instruction, idempotencyKey: `nightshift:${runId}`, maxAttempts: 1 } };
  }

  #of(runId) {
    if (!this.#streams.has(runId)) {
      this.#streams.set(runId, { runId, waiting: new Map(), toolsUsed: false, isSending: false });
    }
    return this.#streams.get(runId);
  }

  #add(run, stream, delta) {
    const text = (run.waiting.get(stream) ?? "") + delta;
    run.waiting.set(stream, text.length > PIECE_CHARS ? text.slice(-PIECE_CHARS) : text);
    if (SENTENCE_END.test(delta)) void this.#send(run);
    else if (!run.timer) run.timer = setTimeout(() => void this.#send(run), PIECE_MS).unref();
  }

  /** Send what waits, one call at a time: pieces of a stream must come in order. */
  async #send(run) {
    clearTimeout(run.timer);
    run.timer = undefined;
    if (run.isSending) return;
    run.isSending = true;
    try {
      while (run.waiting.size > 0) {
        const [[stream, delta]] = run.waiting;
        run.waiting.delete(stream);
        const session = this.#runs.known(run.runId)?.session;
        if (!session) return; // it can't be told whose memory may listen
        const body = { session, runId: run.runId, stream, delta };
        const sent = await this.#client.post("/v1/gate/observe", body, { timeoutMs: OBSERVE_MS });
        if (!sent.ok) run.waiting.clear();
      }
    } catch (error) {
      this.#api.logger.warn(`nightshift: gate failed (${error?.name ?? "error"}); the answer goes on without it`);
    } finally {
      run.isSending = false;
    }
  }

  #end(runId) {
    const run = this.#streams.get(runId);
    if (!run) return;
    if (run.waiting.size > 0) void this.#send(run);
    this.#streams.delete(runId);
  }
}
