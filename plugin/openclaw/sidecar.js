// The service beside the gateway in local mode: joins one that runs, else starts one, and keeps it running. It lives as
// long as the pipe that is its standard input, so it ends even when the gateway is killed. No turn waits for any of it.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { environmentOf, launchOf, openLog } from "./launch.js";
import { PER_CALL } from "./setting_keys.js";
import { variable } from "./settings.js";

const STARTING_POLL_MS = 500;
const STEADY_POLL_MS = 5000;
const BACKOFF_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000];
const STABLE_MS = 60_000; // a process that lived that long starts the count of failures anew
const MOST_FAILURES = 10;
const END_MS = 4000;
const HANDOVER_MS = 5000;
const PASSING = new Set([...PER_CALL].map(variable)); // a change of them needs no other process
const PARKED = Symbol.for("nightshift.sidecar.v1");

export class Sidecar {
  #settings;
  #client;
  #logger;
  #child;
  #identity;
  #timer;
  #isStopped = true;
  #wasThere = false;
  #failures = 0;
  #startedAt = 0;
  #notBefore = 0;
  #hasSaid = new Set();
  #how = "joined";

  /** @param {{ settings: object, client: import("./client.js").Client, logger: object }} parts */
  constructor({ settings, client, logger }) {
    this.#settings = settings;
    this.#client = client;
    this.#logger = logger;
  }

  /** Begin to watch; returns at once. */
  start() {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#startedAt = Date.now();
    this.#client.isStarting = true;
    this.#identity = identityOf(this.#settings);
    this.#adopt();
    this.#watchIn(0);
  }

  /**
   * Stop watching.
   * @param {{ isFinal: boolean, isUsed?: boolean }} options Final: the gateway ends, and so does a process that we
   *   started, unless it is used: then it is only let go, and ends when nobody uses it any more. Otherwise the plugin is
   *   being replaced, and the process waits a moment for its successor.
   */
  async stop({ isFinal, isUsed = false }) {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners("exit");
    if (isFinal && isUsed) child.stdin.end();
    else if (isFinal) await end(child);
    else park(child, this.#identity);
  }

  #adopt() {
    const parked = globalThis[PARKED];
    if (!parked) return;
    globalThis[PARKED] = undefined;
    clearTimeout(parked.timer);
    if (parked.identity !== this.#identity) void end(parked.child);
    else if (parked.child.exitCode === null && parked.child.signalCode === null) this.#keep(parked.child, "kept");
  }

  #watchIn(ms) {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () =>
        void this.#watch()
          .catch((error) => this.#once(`watching the memory service failed: ${error.name}`))
          .finally(() => this.#watchIn(this.#isAwaited ? STARTING_POLL_MS : STEADY_POLL_MS)),
      ms,
    );
    this.#timer.unref();
  }

  /** Whether the service may be there any moment. */
  get #isAwaited() {
    return !this.#wasThere && (this.#client.isStarting || this.#child !== undefined);
  }

  async #watch() {
    const found = await this.#client.isThere();
    if (this.#isStopped) return;
    if (found.ok) this.#thereIsOne();
    else this.#thereIsNone(found);
  }

  #thereIsOne() {
    if (!this.#wasThere) {
      this.#logger.info(`nightshift: ${this.#how} the memory service at ${this.#settings.baseUrl}`);
    }
    this.#wasThere = true;
    this.#client.isStarting = false;
    this.#hasSaid.clear();
  }

  #thereIsNone({ reason, isForeign }) {
    this.#wasThere = false;
    if (isForeign) {
      this.#once(`${reason}: another program has the port, or the service has another home; set baseUrl or local.home`);
      return;
    }
    if (!this.#child && this.#failures < MOST_FAILURES && Date.now() >= this.#notBefore) this.#launch();
    if (this.#client.isStarting && Date.now() - this.#startedAt > this.#settings["local.timeout"]) {
      this.#client.isStarting = false;
      this.#once(
        `the memory service isn't ready after ${this.#settings["local.timeout"]} ms (${reason}); turns go on without memory until it is`,
      );
    }
  }

  #launch() {
    const {
      argv: [program, ...args],
      cwd,
    } = launchOf(this.#settings);
    let log;
    try {
      log = openLog(this.#settings.home);
    } catch (error) {
      this.#ended(`its log can't be opened: ${error.code}`);
      return;
    }
    try {
      const child = spawn(program, args, {
        cwd,
        env: environmentOf(this.#settings),
        stdio: ["pipe", log.descriptor, log.descriptor],
        windowsHide: true,
      });
      this.#keep(child, "started");
    } finally {
      closeSync(log.descriptor);
    }
  }

  #keep(child, how) {
    const startedAt = Date.now();
    this.#how = how;
    this.#child = child;
    child.stdin.on("error", () => {}); // the process ended first
    let isOver = false;
    const over = (why) => {
      if (isOver || this.#child !== child) return;
      isOver = true;
      this.#how = "joined";
      this.#child = undefined;
      if (Date.now() - startedAt > STABLE_MS) this.#failures = 0;
      this.#ended(why);
    };
    child.once("error", (error) => over(`${child.spawnfile} can't be started: ${error.code ?? error.name}`));
    child.once("exit", (code, signal) => over(`it ended with ${signal ?? code}`));
    // The gateway doesn't stay for our sake.
    child.unref();
    child.stdin.unref?.();
  }

  #ended(why) {
    const wait = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    this.#failures += 1;
    this.#notBefore = Date.now() + wait;
    const log = `${this.#settings.home}/logs/sidecar.log`;
    if (this.#failures >= MOST_FAILURES)
      this.#logger.warn(
        `nightshift: the memory service failed ${MOST_FAILURES} times in a row and is not started again; see ${log}`,
      );
    // Not a warning: the first turn that misses its memory says so, once.
    else
      this.#logger.info(
        `nightshift: the memory service is down (${why}); next try in ${wait / 1000} s, its output is in ${log}`,
      );
    clearTimeout(this.#timer);
    this.#watchIn(wait);
  }

  #once(line) {
    if (this.#hasSaid.has(line)) return;
    this.#hasSaid.add(line);
    this.#logger.warn(`nightshift: ${line}`);
  }
}

/** What a running process must have been started with to be kept when the plugin is replaced. */
function identityOf(settings) {
  const lasting = Object.entries(settings.serviceEnvironment).filter(([name]) => !PASSING.has(name));
  return JSON.stringify([launchOf(settings), settings.home, settings.baseUrl, lasting]);
}

function park(child, identity) {
  child.on("error", () => {});
  const timer = setTimeout(() => {
    if (globalThis[PARKED]?.child === child) globalThis[PARKED] = undefined;
    void end(child);
  }, HANDOVER_MS);
  timer.unref();
  globalThis[PARKED] = { child, identity, timer };
}

/** End a process: first its lifeline, then a signal. */
async function end(child) {
  child.stdin.end();
  const term = setTimeout(() => child.kill("SIGTERM"), END_MS / 2);
  let latest;
  await Promise.race([
    new Promise((resolve) => child.once("exit", resolve)),
    new Promise((resolve) => {
      latest = setTimeout(resolve, END_MS);
    }),
  ]);
  clearTimeout(term);
  clearTimeout(latest);
}
