// Tells the service again and again that this gateway uses it, and how many turns wait here for it: a service that another
// gateway started stays as long as somebody uses it, and its status shows what it hasn't been given yet.
import { gatewayRun } from "./gateway_id.js";

const EVERY_MS = 10_000;
const LAST_MS = 1000;

export class Presence {
  #client;
  #outbox;
  #everyMs;
  #timer;
  #unlisten;

  /**
   * @param {{ client: import("./client.js").Client, outbox: import("./outbox.js").Outbox }} parts
   * @param {{ everyMs?: number }} [options]
   */
  constructor({ client, outbox }, { everyMs = EVERY_MS } = {}) {
    this.#client = client;
    this.#outbox = outbox;
    this.#everyMs = everyMs;
  }

  /** Begin; returns at once. */
  start() {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#tell(), this.#everyMs);
    this.#timer.unref();
    this.#unlisten = this.#client.onUp(() => void this.#tell());
    void this.#tell();
  }

  /** Stop telling; the service forgets us after a minute. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unlisten?.();
  }

  /**
   * Say that this gateway ends.
   * @returns {Promise<number>} How many other gateways use the service; 0 when it can't say.
   */
  async leave() {
    this.stop();
    const sent = await this.#tell({ leaving: true, timeoutMs: LAST_MS });
    return sent.ok && Number.isInteger(sent.body.others) ? sent.body.others : 0;
  }

  #tell({ leaving = false, timeoutMs = this.#everyMs } = {}) {
    // Outside the breaker: nobody waits for it, and a turn that misses its memory says so itself.
    return this.#client.post(
      "/v1/gateways",
      { gatewayId: gatewayRun(), leaving, ...this.#outbox.state },
      { isLongWait: true, timeoutMs },
    );
  }
}
