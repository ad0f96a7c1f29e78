// Before the service flushes what was said, it signals it; the next turn of that session asks the agent to keep what it
// made. Signals hold no words of anybody, and one that is lost loses nothing.
import { BoundedMap } from "./bounded.js";
import { LongPoll } from "./long_poll.js";

const KEPT = 256;
const STORE = Symbol.for("nightshift.signals.v1"); // one registration of the plugin listens, another one has the turn

/** What the agent is asked; in the fence by which the service knows our own words and never takes them for the user's. */
export const NOTE = `<nightshift-memory kind="reminder">
This conversation is about to leave short-term memory. If you made something in it that is worth having again (a text, plan, design or code) and didn't keep it yet, call creative_capture for it now, with the whole content. If there is nothing, or you don't have that tool, do nothing. Don't mention this note.
</nightshift-memory>`;

/** Signals that wait for the next turn of their session. */
export class OpenSignals {
  #open = new BoundedMap(KEPT); // agent and session key -> { session, until }
  #seen = new BoundedMap(KEPT); // id -> true
  #now;

  constructor({ now = Date.now } = {}) {
    this.#now = now;
  }

  /** Take in a signal of the service; one that is known, over or of another kind is left. */
  add({ id, type, session, deadline }) {
    const until = Date.parse(deadline);
    const isOurs = type === "before_compaction" && typeof session?.sessionKey === "string" && Number.isInteger(id);
    if (!isOurs || this.#seen.has(id) || !(until > this.#now())) return;
    this.#seen.set(id, true);
    this.#open.set(keyOf(session), { session, until });
  }

  /** Whether a signal waits for this session and person; it doesn't any more afterwards. */
  take(session) {
    const key = keyOf(session);
    const found = this.#open.get(key);
    if (!found || !isFor(found.session, session)) return false;
    this.#open.delete(key);
    return found.until > this.#now();
  }
}

/** The one of this process. */
export function openSignals() {
  globalThis[STORE] ??= new OpenSignals();
  return globalThis[STORE];
}

/** Listens for signals. */
export class Signals {
  #poll;
  #since = 0;

  /**
   * @param {{ client: import("./client.js").Client, open?: OpenSignals }} parts
   * @param {{ backoffMs?: number[] }} [options] Of the long poll.
   */
  constructor({ client, open = openSignals() }, options) {
    const take = ({ signals }) => this.#take(signals, open);
    this.#poll = new LongPoll({ client, path: "/v1/signals", body: () => ({ since: this.#since }), take }, options);
  }

  /** Begin to listen; returns at once. */
  start() {
    this.#poll.start();
  }

  /** Listen no more. */
  stop() {
    this.#poll.stop();
  }

  #take(signals, open) {
    const heard = Array.isArray(signals) ? signals.filter((signal) => Number.isInteger(signal?.id)) : [];
    for (const signal of heard) {
      this.#since = Math.max(this.#since, signal.id);
      open.add(signal);
    }
    return heard.length > 0;
  }
}

/**
 * What to say at the end of a turn, if anything: once for each signal, and again when the same run is tried again.
 * @param {{ session: object, isMachine: boolean, note?: string }} run
 */
export function noteFor(run, settings) {
  const isTalk = run.session.trigger === "user" && !run.isMachine;
  if (settings.off || !settings.autoCapture || !isTalk) return undefined;
  if (!run.note && openSignals().take(run.session)) run.note = NOTE;
  return run.note;
}

const keyOf = ({ agentId, sessionKey }) => `${agentId ?? "main"}\u0000${sessionKey}`;

/** Several people may share a session key: what is signalled about one of them is nothing to the others. */
function isFor(signalled, { channel, senderId, isOwner }) {
  // The operator goes without an id; of a conversation as such nobody is told at all.
  if (!signalled.senderId) return !signalled.isOwner || isOwner === true;
  return signalled.senderId === senderId && (!signalled.channel || signalled.channel === channel);
}
