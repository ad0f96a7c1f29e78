import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { gatewayId, keepGatewayId } from "./gateway_id.js";

const endings = [];

afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});

describe("the gateway's id", () => {
  const ID = Symbol.for("nightshift.gateway.v1");

  function afterRestart(folder) {
    const before = globalThis[ID];
    globalThis[ID] = undefined;
    try {
      keepGatewayId(folder);
      return gatewayId();
    } finally {
      globalThis[ID] = before;
    }
  }

  test("is the same after a restart, and another in another folder", () => {
    const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "nightshift-id-")));
    endings.push(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
    const first = afterRestart(folders[0]);
    assert.equal(afterRestart(folders[0]), first);
    assert.notEqual(afterRestart(folders[1]), first);
    assert.equal(readFileSync(join(folders[0], "nightshift", "gateway-id"), "utf8"), first);
  });

  test("is a new one where none can be kept or what is kept is none", () => {
    const folder = mkdtempSync(join(tmpdir(), "nightshift-id-"));
    endings.push(() => rmSync(folder, { recursive: true }));
    afterRestart(folder);
    writeFileSync(join(folder, "nightshift", "gateway-id"), "no id\n\n");
    for (const place of [undefined, join(folder, "not", "there"), folder]) assert.match(afterRestart(place), /^[\w-]{36}$/);
  });
});
