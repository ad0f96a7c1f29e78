import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, existsSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "./client.js";
import { gatewayRun } from "./gateway_id.js";
import { environmentOf, launchOf, openLog } from "./launch.js";
import { recordingLogger, startService, until } from "./recording_service.js";
import { readSettings } from "./settings.js";
import { Sidecar } from "./sidecar.js";

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

/** A service in one file: proves its token, says its process id, ends with its standard input. */
const PROGRAM = `
import { createHmac } from "node:crypto";
import { mkdirSync, writeFileSync, appendFileSync, existsSync, readFileSync } from "node:fs";
import http from "node:http";
const home = process.env.NIGHTSHIFT_HOME;
mkdirSync(home, { recursive: true });
if (!existsSync(home + "/token")) writeFileSync(home + "/token", "token-of-" + process.pid);
const token = readFileSync(home + "/token", "utf8");
appendFileSync(home + "/starts", process.pid + " " + process.env.NIGHTSHIFT_DEMO + " " + process.env.NIGHTSHIFT_TOP_K + "\\n");
console.log("a line of the service");
http.createServer((request, response) => {
  const nonce = new URL(request.url, "http://x").searchParams.get("nonce") ?? "";
  response.end(JSON.stringify({ proof: createHmac("sha256", token).update(nonce).digest("hex"), pid: process.pid }));
}).listen(Number(process.env.NIGHTSHIFT_PORT), "127.0.0.1");
process.stdin.on("end", () => process.exit(0)).resume();
`;

async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const { port } = probe.address();
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

async function sidecarOf({ command, config = {}, home, port } = {}) {
  const folder = home ?? mkdtempSync(join(tmpdir(), "nightshift-sidecar-"));
  if (!home) endings.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "service.mjs"), PROGRAM);
  const settings = readSettings(
    {
      ...config,
      baseUrl: `http://127.0.0.1:${port ?? (await freePort())}`,
      local: { home: folder, command: command ?? [process.execPath, join(folder, "service.mjs")] },
    },
    { env: {} },
  );
  const logger = recordingLogger();
  const client = new Client(settings, { logger });
  const sidecar = new Sidecar({ settings, client, logger });
  endings.push(async () => {
    await sidecar.stop({ isFinal: true });
    client.close();
  });
  const starts = () =>
    existsSync(join(folder, "starts")) ? readFileSync(join(folder, "starts"), "utf8").trim().split("\n") : [];
  return { sidecar, client, logger, settings, folder, starts, pid: () => Number(starts().at(-1).split(" ")[0]) };
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};
const said = (logger, words) => logger.lines.some((line) => line.includes(words));

test("a service is started, used, and ended with the gateway", async () => {
  const { sidecar, client, logger, starts, folder, pid } = await sidecarOf({ config: { topK: 7 } });
  sidecar.start();
  assert.equal((await client.isThere()).ok, false);
  await until(() => said(logger, "started the memory service"));
  assert.equal(starts()[0].split(" ").slice(1).join(" "), "0 7");
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.equal(readFileSync(join(folder, "logs", "sidecar.log"), "utf8"), "a line of the service\n");
  assert.equal(statSync(join(folder, "logs", "sidecar.log")).mode & 0o777, 0o600);
  await sidecar.stop({ isFinal: true });
  await until(() => !isAlive(pid()));
  assert.deepEqual(
    logger.lines.filter((line) => line.startsWith("warn")),
    [],
  );
});

test("a running service is joined and left running", async () => {
  const first = await sidecarOf();
  first.sidecar.start();
  await until(() => said(first.logger, "started the memory service"));
  const second = await sidecarOf({ home: first.folder, port: new URL(first.settings.baseUrl).port });
  second.sidecar.start();
  await until(() => said(second.logger, "joined the memory service"));
  await second.sidecar.stop({ isFinal: true });
  assert.ok(isAlive(first.pid()));
  assert.equal(first.starts().length, 1);
});

test("a service that other gateways use is let go and not ended", async () => {
  const stays = "process.stdin.resume().on('end', () => setTimeout(() => process.exit(), 20_000));";
  const { sidecar, logger, folder, starts, pid } = await sidecarOf();
  writeFileSync(join(folder, "service.mjs"), PROGRAM.replace(/process\.stdin\.on.*/, stays));
  sidecar.start();
  await until(() => said(logger, "started the memory service"));
  const begun = Date.now();
  await sidecar.stop({ isFinal: true, isUsed: true });
  assert.ok(Date.now() - begun < 500);
  await new Promise((resolve) => {
    setTimeout(resolve, 2500); // a process that isn't used would have been signalled by now
  });
  assert.ok(isAlive(pid()));
  assert.equal(starts().length, 1);
  process.kill(pid(), "SIGKILL");
});

test("a service that was killed is started again, without a warning of its own", async () => {
  const { sidecar, client, logger, starts, pid } = await sidecarOf();
  sidecar.start();
  await until(() => said(logger, "started the memory service"));
  process.kill(pid(), "SIGKILL");
  await until(() => starts().length === 2);
  await until(() => logger.lines.filter((line) => line.includes("started the memory service")).length === 2);
  assert.ok((await client.post("/v1/recall", {})).ok);
  assert.match(
    logger.lines.join("\n"),
    /info nightshift: the memory service is down \(it ended with SIGKILL\); next try in 1 s/,
  );
});

test("when the plugin is replaced its successor keeps the process, with other settings it gets another", async () => {
  const first = await sidecarOf();
  const port = new URL(first.settings.baseUrl).port;
  first.sidecar.start();
  await until(() => said(first.logger, "started the memory service"));
  await first.sidecar.stop({ isFinal: false });
  const second = await sidecarOf({ home: first.folder, port, config: { topK: 9 } });
  second.sidecar.start();
  await until(() => said(second.logger, "kept the memory service"));
  assert.equal(first.starts().length, 1);
  await second.sidecar.stop({ isFinal: false });
  const third = await sidecarOf({ home: first.folder, port, config: { scope: "agent" } });
  third.sidecar.start();
  await until(() => first.starts().length === 2 && said(third.logger, "the memory service"));
});

test("a program that can't be started is told and tried again, ever more slowly", async () => {
  const { sidecar, client, logger } = await sidecarOf({ command: "/no/such/program --flag" });
  assert.equal(client.isStarting, false);
  sidecar.start();
  await until(() => said(logger, "/no/such/program can't be started: ENOENT"));
  assert.match(logger.lines[0], /next try in 1 s, its output is in .*sidecar\.log$/);
  await sidecar.stop({ isFinal: true });
});

test("a start that takes too long is a warning, once", async () => {
  const waits = [process.execPath, "-e", "process.stdin.resume().on('end', () => process.exit())"];
  const { sidecar, client, logger, settings } = await sidecarOf({ command: waits });
  settings["local.timeout"] = 300;
  sidecar.start();
  assert.equal(client.isStarting, true);
  await client.post("/v1/recall", {});
  assert.deepEqual(logger.lines, []);
  await until(() => said(logger, "isn't ready after 300 ms"));
  await new Promise((resolve) => {
    setTimeout(resolve, 1200);
  });
  assert.equal(logger.lines.length, 1);
});

test("nothing is started when another program has the port", async () => {
  const foreign = await startService({ token: "somebody else's" });
  endings.push(() => foreign.stop());
  const { sidecar, logger, starts, folder } = await sidecarOf({ port: foreign.port });
  writeFileSync(join(folder, "token"), "ours");
  sidecar.start();
  await until(() => said(logger, "another program has the port"));
  assert.deepEqual(starts(), []);
  assert.equal(
    foreign.requests.every(({ path }) => path === "/healthz"),
    true,
  );
});

test("the program is the configured one, the repository's own, or the installed command", () => {
  const repository = mkdtempSync(join(tmpdir(), "nightshift-launch-"));
  endings.push(() => rmSync(repository, { recursive: true }));
  const pluginFolder = join(repository, "plugin", "openclaw");
  const up = ["-m", "plugin.cli", "up", "--sidecar"];
  assert.deepEqual(launchOf({ command: "python3 -m x  up", pluginFolder }), { argv: ["python3", "-m", "x", "up"] });
  assert.deepEqual(launchOf({ command: ["a program", "up"] }), { argv: ["a program", "up"] });
  assert.deepEqual(launchOf({ pluginFolder }), { argv: ["nightshift", "up", "--sidecar"] });
  assert.deepEqual(launchOf({ pythonPath: "/opt/python", pluginFolder }), { argv: ["/opt/python", ...up] });
  mkdirSync(join(repository, ".venv", "bin"), { recursive: true });
  mkdirSync(pluginFolder, { recursive: true });
  const python = join(repository, ".venv", "bin", "python");
  writeFileSync(python, "");
  assert.deepEqual(launchOf({ pluginFolder }), { argv: [python, ...up] });
  writeFileSync(join(repository, "plugin", "cli.py"), "");
  assert.deepEqual(launchOf({ pluginFolder }), { argv: [python, ...up], cwd: repository });
});

test("the service gets the settings, not the gateway's own variables", () => {
  const environment = environmentOf(
    { home: "/h", baseUrl: "http://127.0.0.1:7461", serviceEnvironment: { NIGHTSHIFT_TOP_K: "7" } },
    { PATH: "/bin", OPENCLAW_GATEWAY_TOKEN: "secret", NIGHTSHIFT_TOP_K: "3", NIGHTSHIFT_RERANK: "off" },
  );
  assert.deepEqual(environment, {
    PATH: "/bin",
    NIGHTSHIFT_TOP_K: "7",
    NIGHTSHIFT_RERANK: "off",
    NIGHTSHIFT_HOME: "/h",
    NIGHTSHIFT_PORT: "7461",
    NIGHTSHIFT_DEMO: "0",
    NIGHTSHIFT_LIFELINE: "1",
    NIGHTSHIFT_GATEWAY_ID: gatewayRun(),
  });
});

test("a long log is put aside before a new one is begun", () => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-log-"));
  endings.push(() => rmSync(folder, { recursive: true }));
  openLog(folder);
  const path = join(folder, "logs", "sidecar.log");
  writeFileSync(path, "x".repeat(6 * 1024 * 1024));
  openLog(folder);
  assert.deepEqual([statSync(path).size, statSync(`${path}.1`).size], [0, 6 * 1024 * 1024]);
});
