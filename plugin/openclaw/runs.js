// What is known of the runs in progress: who speaks in each, and what tells so. Hooks and tool factories of one run see
// different halves of it and may belong to different registrations of the plugin, so this is kept once per process.
import { BoundedMap } from "./bounded.js";
import { isMachineInput, sessionRef, toolContext } from "./identity.js";

const KEPT = 2000;
const LONGEST_RUN_MS = 60 * 60_000; // a run whose end was never told counts as over after it
const FRESH_MS = 30_000; // from a run's tool factory to its prompt; a later one belongs to another run
const STORE = Symbol.for("nightshift.runs.v1");

/** One speaker in one session. */
const pair = (sessionKey, senderId) => `${sessionKey ?? ""}\u0000${senderId ?? ""}`;

export class Runs {
  #owners = new BoundedMap(KEPT); // pair -> { isOwner, at }
  #groups = new BoundedMap(KEPT); // pair -> { isGroup, at }
  #names = new BoundedMap(KEPT); // channel and sender -> name
  #runs = new BoundedMap(KEPT); // run id -> run
  #active = new BoundedMap(KEPT); // pair -> newest run
  #latest = new BoundedMap(KEPT); // session key -> newest run
  #open = new BoundedMap(KEPT); // run id -> { session, at } of runs that are in progress
  #starting = new BoundedMap(KEPT); // session key -> context of the run that chooses its model now
  #parents = new BoundedMap(KEPT); // subagent's session key -> SessionRef of its parent
  #now;

  constructor({ now = Date.now } = {}) {
    this.#now = now;
  }

  /** A run's tools are being made: the only place before the prompt where the gateway says whether the sender is the owner. */
  noteFactory(ctx) {
    if (typeof ctx.senderIsOwner !== "boolean") return;
    this.#owners.set(pair(ctx.sessionKey, ctx.requesterSenderId), { isOwner: ctx.senderIsOwner, at: this.#now() });
  }

  /** A run chooses its model: from here to its prompt a caller that only knows the session key can be told who speaks. */
  noteStart(ctx) {
    if (ctx.sessionKey) this.#starting.set(ctx.sessionKey, { ctx, at: this.#now() });
  }

  /** The context of the run in progress on a session key. */
  starting(sessionKey) {
    const found = this.#starting.get(sessionKey);
    return found && this.#now() - found.at <= LONGEST_RUN_MS ? found.ctx : undefined;
  }

  /** Who spoke last on a session key, if it is known. */
  lastOn(sessionKey) {
    return this.#latest.get(sessionKey)?.session;
  }

  /** A message arrived. */
  noteMessage(event, ctx = {}) {
    const senderId = event.senderId ?? ctx.senderId;
    const sessionKey = event.sessionKey ?? ctx.sessionKey;
    if (typeof event.isGroup === "boolean")
      this.#groups.set(pair(sessionKey, senderId), { isGroup: event.isGroup, at: this.#now() });
    const name = event.metadata?.senderName;
    if (senderId && typeof name === "string") this.#names.set(pair(ctx.channelId, senderId), name);
  }

  /** A subagent was started by the run in progress on the requester's session. */
  noteSpawn(childKey, requesterKey) {
    const parent = this.#parents.get(requesterKey) ?? this.#latest.get(requesterKey)?.session;
    if (childKey && parent) this.#parents.set(childKey, parent);
  }

  /**
   * A run is about to ask its model; a second attempt of the same run stays the same person.
   * @returns {{ session: object, isMachine: boolean, context?: string, [key: string]: unknown }}
   */
  begin(ctx, { entry, settings } = {}) {
    const known = ctx.runId ? this.#runs.get(ctx.runId) : undefined;
    const isKnown = known?.session.sessionKey === ctx.sessionKey;
    const run = isKnown ? known : { session: this.#refOf(ctx, { entry, settings }), isMachine: isMachineInput(ctx) };
    if (ctx.runId) this.#open.set(ctx.runId, { session: run.session, at: this.#now() });
    if (isKnown) return run;
    if (ctx.runId) this.#runs.set(ctx.runId, run);
    this.#active.set(pair(ctx.sessionKey, ctx.senderId), run);
    this.#latest.set(ctx.sessionKey, run);
    return run;
  }

  /** The run of a hook that comes later in it; made from what that hook says when the earlier one was never called. */
  of(ctx, around = {}) {
    return (
      (ctx.runId && this.#runs.get(ctx.runId)) || { session: this.#refOf(ctx, around), isMachine: isMachineInput(ctx) }
    );
  }

  /** A run by its id, also for a while after it ended; undefined when it never asked its model. */
  known(runId) {
    return this.#runs.get(runId);
  }

  /** A run is over. */
  end(runId) {
    this.#open.delete(runId);
  }

  /**
   * The SessionRef of the run in progress on a session key, for callers that don't say who they ask for; undefined when
   * there is none, or when several people's runs are and it can't be told whose asks.
   */
  inProgress(sessionKey) {
    const alive = [...this.#open.values()]
      .filter(({ session, at }) => session.sessionKey === sessionKey && this.#now() - at <= LONGEST_RUN_MS)
      .map(({ session }) => session);
    return new Set(alive.map(personOf)).size === 1 ? alive.at(-1) : undefined;
  }

  /** The SessionRef of a tool call: that of the run its factory was made for. */
  ofTool(ctx, around = {}) {
    const run = this.#active.get(pair(ctx.sessionKey, ctx.requesterSenderId));
    // Without a sender an older run's owner must not lend his memory to a run that never came by here.
    const isStale = run?.session.isOwner && !ctx.requesterSenderId && ctx.senderIsOwner !== true;
    if (run && !isStale) return run.session;
    const hook = toolContext(ctx);
    return sessionRef(hook, { ...this.#known(hook), ...around, isOwner: ctx.senderIsOwner });
  }

  /** The SessionRef of a conversation as such: the gateway doesn't say whose when one begins or ends. */
  ofSession(ctx, around = {}) {
    return sessionRef({ ...ctx, senderId: undefined }, around);
  }

  #refOf(ctx, { entry, settings }) {
    const speaker = pair(ctx.sessionKey, ctx.senderId);
    const isOwner = this.#take(this.#owners, speaker)?.isOwner;
    const isGroup = this.#take(this.#groups, speaker)?.isGroup;
    return sessionRef(ctx, { ...this.#known(ctx), entry, settings, isOwner, isGroup });
  }

  #known(ctx) {
    const name = ctx.senderId ? this.#names.get(pair(ctx.channel, ctx.senderId)) : undefined;
    return { senderName: name, parent: this.#parents.get(ctx.sessionKey) };
  }

  /** Evidence counts for one run only, and only while it is fresh. */
  #take(map, key) {
    const found = map.get(key);
    map.delete(key);
    return found && this.#now() - found.at <= FRESH_MS ? found : undefined;
  }
}

const personOf = ({ channel, senderId, isOwner, chatType, chatId, trigger }) =>
  JSON.stringify([channel, senderId, isOwner, chatType, chatId, trigger]);

/** The one of this process. */
export function sharedRuns() {
  globalThis[STORE] ??= new Runs();
  return globalThis[STORE];
}
