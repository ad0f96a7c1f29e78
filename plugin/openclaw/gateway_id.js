// What this gateway calls itself to the service: the same in every registration of the plugin, and after a restart, so
// that the service knows which gateway somebody's words came through.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ID = Symbol.for("nightshift.gateway.v1");
const RUN = Symbol.for("nightshift.gateway-run.v1");
const FORM = /^[\w-]{8,64}$/;

export function gatewayId() {
  globalThis[ID] ??= randomUUID();
  return globalThis[ID];
}

/** The name of this process of the gateway, another one after a restart: it says who is there now, not whose words. */
export function gatewayRun() {
  globalThis[RUN] ??= randomUUID();
  return globalThis[RUN];
}

/**
 * Take the id that is kept in the gateway's own folder, or put one there; one that is in use already stays. Without a
 * folder that can be written, the id is another one after a restart.
 * @param {string | undefined} stateFolder
 */
export function keepGatewayId(stateFolder) {
  if (globalThis[ID] || !stateFolder) return;
  const folder = join(stateFolder, "nightshift");
  const path = join(folder, "gateway-id");
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path, randomUUID(), { flag: "wx", mode: 0o600 });
  } catch {
    // It is there already, or can't be.
  }
  try {
    const kept = readFileSync(path, "utf8").trim();
    if (FORM.test(kept)) globalThis[ID] = kept;
  } catch {
    // A new one will do.
  }
}
