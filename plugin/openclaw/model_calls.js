// Lends the gateway's own model to the memory service: what background work asks is claimed here and answered with the
// gateway's own credentials. No turn waits for it, and nothing here throws.
import { gatewayId } from "./gateway_id.js";
import { LongPoll } from "./long_poll.js";

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
  #poll;
  #working = new Set();
  #refusedModels = new Set();
  #knowsFormats = true;

  /**
   * @param {{ client: import("./client.js").Client, complete: (params: object) => Promise<any>, logger: object }} parts
   *   `complete` is the gateway's `runtime.llm.complete`.
   * @param {{ backoffMs?: number[] }} [options] Of the long poll.
   */
  constructor({ client, complete, logger }, options) {
    this.#client = client;
    this.#complete = complete;
    this.#logger = logger;
    this.#poll = new LongPoll(
      {
        client,
        path: "/v1/model-calls/claim",
        body: () => ({ gatewayId: gatewayId() }),
        take: (call, signal) => this.#begin(call, signal),
      },
      options,
    );
  }

  /** Begin to claim; returns at once. */
  start() {
    this.#poll.start();
  }

  /** Claim no more, and give up on what is being asked: the service offers it again. */
  stop() {
    this.#poll.stop();
  }

  /** Ask beside what is being asked already; returns when there is room for one more. */
  async #begin(call, signal) {
    if (typeof call.id !== "string") return false;
    const work = this.#serveOne(call, signal).finally(() => this.#working.delete(work));
    this.#working.add(work);
    if (this.#working.size >= AT_ONCE) await Promise.race(this.#working);
    return true;
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
      await this.#poll.pause(0, ending);
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
