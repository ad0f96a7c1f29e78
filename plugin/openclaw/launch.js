// How the service is started in local mode: the program, its environment, where its output goes.
import { existsSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { gatewayRun } from "./gateway_id.js";

const LOG_BYTES = 5 * 1024 * 1024;

/**
 * The program and its arguments.
 * @param {{ command?: unknown, pythonPath?: string, pluginFolder?: string }} settings A command is a list, or words
 *   between spaces. The folder is where the gateway found the plugin: it runs a copy of these files made elsewhere.
 * @returns {{ argv: string[], cwd?: string }}
 */
export function launchOf({ command, pythonPath, pluginFolder }) {
  const given = Array.isArray(command) ? command.map(String) : String(command ?? "").match(/\S+/g);
  if (given?.length) return { argv: given };
  const repository = pluginFolder && join(pluginFolder, "..", "..");
  const venv = repository && join(repository, ".venv", "bin", "python");
  const python = pythonPath ?? (venv && existsSync(venv) ? venv : undefined);
  // A copy of the plugin outside its repository: the command of the installed package.
  if (!python) return { argv: ["nightshift", "up", "--sidecar"] };
  const hasSource = repository && existsSync(join(repository, "plugin", "cli.py"));
  return { argv: [python, "-m", "plugin.cli", "up", "--sidecar"], ...(hasSource && { cwd: repository }) };
}

/** The environment of the service: what the operator set for this gateway wins over what stood in the environment. */
export function environmentOf({ home, baseUrl, serviceEnvironment }, env = process.env) {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith("OPENCLAW_"));
  return {
    ...Object.fromEntries(inherited),
    ...serviceEnvironment,
    NIGHTSHIFT_HOME: home,
    NIGHTSHIFT_PORT: new URL(baseUrl).port || "80",
    NIGHTSHIFT_DEMO: "0",
    NIGHTSHIFT_LIFELINE: "1",
    NIGHTSHIFT_GATEWAY_ID: gatewayRun(),
  };
}

/**
 * Open the log that takes the output of the service's processes; a long one is put aside first.
 * @returns {{ path: string, descriptor: number }}
 */
export function openLog(home) {
  const folder = join(home, "logs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "sidecar.log");
  if (existsSync(path) && statSync(path).size > LOG_BYTES) renameSync(path, `${path}.1`);
  return { path, descriptor: openSync(path, "a", 0o600) };
}
