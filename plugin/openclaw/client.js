// The one way to the service: every call has a deadline, three failures in a row spare the next turns the wait, and
// nothing here throws. Failure means "no memories", never a failed turn.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Breaker } from "./breaker.js";
import { Transport, TransportError } from "./transport.js";

const LEAST_MS = 50;

export class Client {
  #settings;
  #logger;
  #transport;
  #breaker;
  #isUp;
  #listeners = new Set();
  #lastTold;
  #hasTold = false;
  #now;

  /**
   * @param {ReturnType<import("./settings.js").readSettings>} settings
   * @param {{ logger: { info(line: string): void, warn(line: string): void }, now?: () => number }} around
   */
  constructor(settings, { logger, now = Date.now }) {
    this.#settings = settings;
    this.#logger = logger;
    this.#now = now;
    this.#breaker = new Breaker({
      maxFailures: settings["circuitBreaker.maxFailures"],
      cooldownMs: settings["circuitBreaker.cooldownMs"],
      now,
    });
    if (!settings.off) this.#transport = new Transport(settings.baseUrl, () => this.#token());
  }

  /** Set while the service is being started: its absence is expected then and no warning. */
  isStarting = false;

  /** Call back whenever the service answers again, until what this returns is called. */
  onUp(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ask the service.
   * @param {string} path
   * @param {object} body
   * @param {{ timeoutMs?: number, isLongWait?: boolean, signal?: AbortSignal }} [options] A long wait is outside the breaker.
   * @returns {Promise<{ ok: true, body: any } | { ok: false, reason: string, isRetryable: boolean, status?: number }>}
   */
  async post(path, body, { timeoutMs = this.#settings.timeoutMs, isLongWait = false, signal } = {}) {
    if (this.#settings.off) return { ok: false, reason: this.#settings.off, isRetryable: false };
    if (!isLongWait && !this.#breaker.tryEnter())
      return { ok: false, reason: "it didn't answer lately", isRetryable: true };
    const deadline = AbortSignal.timeout(Math.max(LEAST_MS, timeoutMs));
    try {
      const answer = await this.#transport.request("POST", path, {
        body,
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      });
      return this.#judge(answer, isLongWait);
    } catch (error) {
      if (!isLongWait) this.#missed(error.message, signal);
      return { ok: false, reason: error.message, isRetryable: true };
    }
  }

  /** Whether the service is there and knows the token; closes the breaker when it is. */
  async isThere(timeoutMs = this.#settings.timeoutMs) {
    if (this.#settings.off) return { ok: false, reason: this.#settings.off };
    try {
      await this.#transport.prove(AbortSignal.timeout(timeoutMs));
    } catch (error) {
      return {
        ok: false,
        reason: error.message,
        isForeign: error instanceof TransportError && /know the token/.test(error.message),
      };
    }
    this.#succeeded();
    return { ok: true };
  }

  /** Close idle connections. */
  close() {
    this.#transport?.close();
  }

  #judge({ status, body }, isLongWait) {
    const isAnswer = status >= 200 && status < 300 && typeof body === "object" && body !== null;
    const refusal = isAnswer ? undefined : refusalOf(status, body?.error ?? {});
    if (!isLongWait) {
      if (refusal?.isFailure) this.#failed(refusal.reason);
      else this.#succeeded();
    }
    if (!refusal) return { ok: true, body };
    return { ok: false, status, reason: refusal.reason, isRetryable: refusal.isRetryable };
  }

  #succeeded() {
    this.#breaker.succeeded();
    if (this.#isUp === true) return;
    if (this.#hasTold) this.#logger.info("nightshift: the memory service answers again");
    this.#hasTold = false;
    this.#isUp = true;
    for (const listener of this.#listeners) listener();
  }

  #missed(reason, signal) {
    if (signal?.aborted) this.#breaker.cancelled();
    else this.#failed(reason);
  }

  #failed(reason) {
    this.#breaker.failed();
    if (this.#isUp === false || (this.isStarting && this.#isUp === undefined)) return;
    this.#isUp = false;
    // A service that fails every other call for the same reason isn't news each time.
    const isNews =
      this.#lastTold?.reason !== reason ||
      this.#now() - this.#lastTold.at > this.#settings["circuitBreaker.cooldownMs"];
    if (!isNews) return;
    this.#lastTold = { reason, at: this.#now() };
    this.#hasTold = true;
    this.#logger.warn(
      `nightshift: the memory service doesn't answer (${reason}); turns go on without memory until it does`,
    );
  }

  async #token() {
    const token = this.#settings.apiKey ?? (await readFile(join(this.#settings.home, "token"), "utf8")).trim();
    if (!token) throw new TransportError("the token file is empty");
    return token;
  }
}

/** The service is there when it refuses what was asked; it isn't when it fails or doesn't know us. */
function refusalOf(status, { code, retryable }) {
  const isFailure = status >= 500 || status === 401 || status < 300;
  const isRetryable = isFailure || status === 429 || retryable === true;
  return { isFailure, isRetryable, reason: `${status} ${code ?? "answer that can't be read"}` };
}
