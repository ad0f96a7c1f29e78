/** Keeps a failing service from costing every turn its deadline: closed, then open, then one probe. */
export class Breaker {
  #maxFailures;
  #cooldownMs;
  #now;
  #failures = 0;
  #openedAt;
  #probing = false;

  /** @param {{ maxFailures: number, cooldownMs: number, now?: () => number }} options */
  constructor({ maxFailures, cooldownMs, now = Date.now }) {
    this.#maxFailures = maxFailures;
    this.#cooldownMs = cooldownMs;
    this.#now = now;
  }

  /** Whether a call may be made now; the one that is let through after the cooldown is the probe. */
  tryEnter() {
    if (this.#openedAt === undefined) return true;
    if (this.#probing || this.#now() - this.#openedAt < this.#cooldownMs) return false;
    this.#probing = true;
    return true;
  }

  /** A call was answered. */
  succeeded() {
    this.#failures = 0;
    this.#openedAt = undefined;
    this.#probing = false;
  }

  /** A call wasn't answered. */
  failed() {
    this.#failures += 1;
    if (this.#probing || this.#failures >= this.#maxFailures) this.#openedAt = this.#now();
    this.#probing = false;
  }

  /** A call was given up by the one who made it, which says nothing. */
  cancelled() {
    this.#probing = false;
  }
}
