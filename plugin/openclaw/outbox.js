// Turns that could not be delivered, kept in memory until the service is back: in order, and no more than a bound.
const RETRY_MS = 5000;

export class Outbox {
  #post;
  #logger;
  #waiting = [];
  #bytes = 0;
  #maxTurns;
  #maxBytes;
  #retryMs;
  #timer;
  #flushing;
  #hasDropped = false;
  #lost = 0;

  /**
   * @param {(turn: object) => Promise<{ ok: boolean, isRetryable?: boolean, reason?: string }>} post
   * @param {{ logger: { warn(line: string): void }, maxTurns?: number, maxBytes?: number, retryMs?: number }} options
   */
  constructor(post, { logger, maxTurns = 200, maxBytes = 8 * 1024 * 1024, retryMs = RETRY_MS }) {
    this.#post = post;
    this.#logger = logger;
    this.#maxTurns = maxTurns;
    this.#maxBytes = maxBytes;
    this.#retryMs = retryMs;
  }

  /** Number of turns that wait. */
  get size() {
    return this.#waiting.length;
  }

  /** What waits, what was lost, and how much may wait. */
  get state() {
    return {
      waitingTurns: this.#waiting.length,
      waitingBytes: this.#bytes,
      lostTurns: this.#lost,
      mostTurns: this.#maxTurns,
      mostBytes: this.#maxBytes,
    };
  }

  /** Deliver a turn behind those that wait; resolves when it was delivered or waits. */
  async add(turn) {
    const bytes = Buffer.byteLength(JSON.stringify(turn));
    this.#waiting.push({ turn, bytes });
    this.#bytes += bytes;
    while (this.#waiting.length > 1 && (this.#waiting.length > this.#maxTurns || this.#bytes > this.#maxBytes))
      this.#drop();
    await this.flush();
  }

  /** Try to deliver what waits. */
  flush() {
    this.#flushing ??= this.#deliver().finally(() => {
      this.#flushing = undefined;
      if (this.#waiting.length) this.#retryLater();
    });
    return this.#flushing;
  }

  /** Give up on what still waits. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length)
      this.#logger.warn(`nightshift: ${this.#waiting.length} turns could not be stored before the end`);
    this.#waiting = [];
    this.#bytes = 0;
  }

  async #deliver() {
    while (this.#waiting.length) {
      const [first] = this.#waiting;
      const sent = await this.#post(first.turn);
      if (!sent.ok && sent.isRetryable) return;
      if (!sent.ok) {
        this.#lost += 1;
        this.#logger.warn(`nightshift: a turn was not stored: ${sent.reason}`);
      }
      // A turn may have been dropped from the front meanwhile.
      if (this.#waiting[0] === first) this.#remove();
    }
    this.#hasDropped = false;
  }

  #remove() {
    this.#bytes -= this.#waiting.shift().bytes;
  }

  #drop() {
    this.#remove();
    this.#lost += 1;
    if (!this.#hasDropped)
      this.#logger.warn("nightshift: too many turns wait for the memory service, the oldest are lost");
    this.#hasDropped = true;
  }

  #retryLater() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, this.#retryMs);
    this.#timer.unref();
  }
}
