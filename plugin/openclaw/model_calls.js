// Lends the gateway's own model to the memory service: what background work asks is claimed here and answered with the
// gateway's own credentials. No turn waits for it, and nothing here throws.
import { setTimeout } from "node:timers/promises";
import { gatewayId } from "./gateway_id.js";

const CLAIM_MS = 35_000; // the service holds a claim for 25 s
const BACKOFF_MS = [1000, 2000, 5000, 15_000, 30_000];
const EMPTY_MS = 1000; // a service that answers "nothing" at once isn't asked more often than that
const AT_ONCE = 2;
const ANSWER_ATTEMPTS = 3;
const LATE_MS = 30_000; // an answer after the end of its lease still counts if nobody else gave one
const SHORTEST_MS = 5000; // for a lease that another machine's clock ended
const LONGEST_MS = 120_000;
const ERROR_CHARS = 100;
const NOT_AUTHORIZED = "LLM_COMPLETION_NOT_AUTHORIZED";

export class ModelCalls {
  #client;
  #complete;
  #logger;
  #backoffMs;
  #ending;
  #unlisten;
  #pausing;
  #refusedModels = new Set();
  #knowsFormats = true;

  /**
   * @param {{ client: import("./client.js").Client, complete: (params: object) => Promise<any>, logger: object }} parts
   *   `complete` is the gateway's `runtime.llm.complete`.
   * @param {{ backoffMs?: number[] }} [options]
   */
  constructor({ client, complete, logger }, { backoffMs = BACKOFF_MS } = {}) {
    this.#client = client;
    this.#complete = complete;
    this.#logger = logger;
    this.#backoffMs = backoffMs;
  }

  /** Begin to claim; returns at once. */
  start() {
    if (this.#ending) return;
    this.#ending = new AbortController();
    this.#unlisten = this.#client.onUp(() => this.#pausing?.abort());
    void this.#serve(this.#ending.signal);
  }

  /** Claim no more, and give up on what is being asked: the service offers it again. */
  stop() {
    this.#ending?.abort();
    this.#ending = undefined;
    this.#unlisten?.();
  }

  async #serve(signal) {
    const working = new Set();
    let failures = 0;
    while (!signal.aborted) {
      const beganAt = Date.now();
      const sent = await this.#client.post(
        "/v1/model-calls/claim",
        { gatewayId: gatewayId() },
        { timeoutMs: CLAIM_MS, isLongWait: true, signal },
      );
      if (signal.aborted) return;
      if (!sent.ok) {
        await this.#pause(this.#backoffMs[Math.min(failures, this.#backoffMs.length - 1)], signal);
        failures += 1;
        continue;
      }
      failures = 0;
      if (typeof sent.body.id !== "string") {
        await this.#pause(EMPTY_MS - (Date.now() - beganAt), signal);
        continue;
      }
      const work = this.#serveOne(sent.body, signal).finally(() => working.delete(work));
      working.add(work);
      if (working.size >= AT_ONCE) await Promise.race(working);
    }
  }

  async #serveOne(call, ending) {
    let answer;
    try {
      const signal = AbortSignal.any([ending, AbortSignal.timeout(timeFor(call))]);
      answer = answerOf(await this.#ask(call, signal));
    } catch (error) {
      answer = { error: reasonOf(error) };
    }
    for (let attempt = 1; attempt <= ANSWER_ATTEMPTS && !ending.aborted; attempt++) {
      const sent = await this.#client.post(`/v1/model-calls/${encodeURIComponent(call.id)}`, answer, {
        isLongWait: true,
        signal: ending,
      });
      if (sent.ok || !sent.isRetryable) return;
      await this.#pause(this.#backoffMs[0], ending);
    }
  }

  async #ask(call, signal) {
    const { messages, systemPrompt, maxTokens, purpose } = call;
    const request = { messages, systemPrompt, maxTokens, purpose: `nightshift ${purpose ?? ""}`.trim(), signal };
    const model = call.provider && call.model ? `${call.provider}/${call.model}` : call.model;
    if (!model || this.#refusedModels.has(model)) return this.#askInForm(request, call.responseFormat);
    try {
      return await this.#askInForm({ ...request, model }, call.responseFormat);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    this.#refusedModels.add(model);
    this.#logger.warn(
      `nightshift: the gateway doesn't let this plugin use the model ${model} (plugins.entries.nightshift.llm.allowModelOverride); the agent's own model is used`,
    );
    return this.#askInForm(request, call.responseFormat);
  }

  /** Not every provider knows schemas; what an answer must look like stands in the words too. */
  async #askInForm(request, responseFormat) {
    if (!responseFormat || !this.#knowsFormats) return finished(await this.#complete(request));
    try {
      return finished(await this.#complete({ ...request, responseFormat }));
    } catch (error) {
      if (isRefusal(error) || request.signal.aborted) throw error;
    }
    const result = finished(await this.#complete(request));
    this.#knowsFormats = false;
    return result;
  }

  async #pause(ms, signal) {
    if (ms <= 0) return;
    this.#pausing = new AbortController();
    try {
      await setTimeout(ms, undefined, { ref: false, signal: AbortSignal.any([signal, this.#pausing.signal]) });
    } catch {
      // Ended, or the service is up again.
    }
  }
}

function timeFor({ leaseUntil }) {
  const left = Date.parse(leaseUntil) + LATE_MS - Date.now();
  return Math.min(Math.max(Number.isFinite(left) ? left : LONGEST_MS, SHORTEST_MS), LONGEST_MS);
}

function finished(result) {
  if (typeof result?.text !== "string" || !result.text.trim() || ["error", "aborted"].includes(result.stopReason))
    throw Object.assign(new Error("the model gave no answer"), { name: "NoAnswer" });
  return result;
}

function answerOf({ text, provider, model, usage }) {
  return { text, model: [provider, model].filter(Boolean).join("/") || "gateway", usage: usage ?? {} };
}

/** Never the message: it may quote what was asked. */
function reasonOf(error) {
  return String(error?.code ?? error?.name ?? "Error").slice(0, ERROR_CHARS);
}

const isRefusal = (error) => error?.code === NOT_AUTHORIZED || String(error?.message).includes(NOT_AUTHORIZED);
