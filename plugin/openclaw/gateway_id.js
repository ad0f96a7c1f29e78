// What this gateway calls itself to the service: the same in every registration of the plugin, another after a restart.
import { randomUUID } from "node:crypto";

const ID = Symbol.for("nightshift.gateway.v1");

export function gatewayId() {
  globalThis[ID] ??= randomUUID();
  return globalThis[ID];
}
