// A question that the service holds until it has something to tell, asked again and again. Nothing here throws, and an
// absent service is asked ever more seldom.
import { setTimeout } from "node:timers/promises";

const WAIT_MS = 35_000; // the service holds a question for 25 s
const BACKOFF_MS = [1000, 2000, 5000, 15_000, 30_000];
const EMPTY_MS = 1000; // a service that answers "nothing" at once isn't asked more often than that

export class LongPoll {
  #client;
  #path;
  #body;
  #take;
  #backoffMs;
  #ending;
  #unlisten;
  #pausing;

  /**
   * @param {{ client: import("./client.js").Client, path: string, body: () => object,
   *   take: (answer: any, signal: AbortSignal) => unknown }} parts `take` gets each answer and must not throw; what it
   *   returns, or promises, tells whether there was anything in it. The next question waits for it.
   * @param {{ backoffMs?: number[] }} [options]
   */
  constructor({ client, path, body, take }, { backoffMs = BACKOFF_MS } = {}) {
    this.#client = client;
    this.#path = path;
    this.#body = body;
    this.#take = take;
    this.#backoffMs = backoffMs;
  }

  /** Begin to ask; returns at once. */
  start() {
    if (this.#ending) return;
    this.#ending = new AbortController();
    this.#unlisten = this.#client.onUp(() => this.#pausing?.abort());
    void this.#run(this.#ending.signal);
  }

  /** Ask no more; who was given the signal is told. */
  stop() {
    this.#ending?.abort();
    this.#ending = undefined;
    this.#unlisten?.();
  }

  async #run(signal) {
    let failures = 0;
    while (!signal.aborted) {
      const beganAt = Date.now();
      const sent = await this.#client.post(this.#path, this.#body(), { timeoutMs: WAIT_MS, isLongWait: true, signal });
      if (signal.aborted) return;
      if (!sent.ok) {
        await this.pause(failures, signal);
        failures += 1;
        continue;
      }
      failures = 0;
      if (!(await this.#take(sent.body, signal))) await this.#sleep(EMPTY_MS - (Date.now() - beganAt), signal);
    }
  }

  /** Wait after so many failures in a row; shorter when it ends, or when the service is there again. */
  async pause(failures, signal) {
    await this.#sleep(this.#backoffMs[Math.min(failures, this.#backoffMs.length - 1)], signal);
  }

  async #sleep(ms, signal) {
    if (ms <= 0) return;
    this.#pausing = new AbortController();
    try {
      await setTimeout(ms, undefined, { ref: false, signal: AbortSignal.any([signal, this.#pausing.signal]) });
    } catch {
      // Ended, or the service is up again.
    }
  }
}
