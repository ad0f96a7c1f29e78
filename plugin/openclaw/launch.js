// How the service is started in local mode: the program, its environment, where its output goes.
import { existsSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const LOG_BYTES = 5 * 1024 * 1024;
const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * The program and its arguments.
 * @param {{ command?: unknown, pythonPath?: string }} settings A command is a list, or words between spaces.
 * @returns {{ argv: string[], cwd?: string }}
 */
export function launchOf({ command, pythonPath }, { repository = REPOSITORY } = {}) {
  const given = Array.isArray(command)
    ? command.map(String)
    : String(command ?? "")
        .split(/\s+/)
        .filter(Boolean);
  if (given.length) return { argv: given };
  const venv = join(repository, ".venv", "bin", "python");
  const python = pythonPath ?? (existsSync(venv) ? venv : undefined);
  if (python)
    return {
      argv: [python, "-m", "plugin.cli", "up", "--sidecar"],
      ...(existsSync(join(repository, "plugin", "up.py")) && { cwd: repository }),
    };
  // A copy of the plugin outside its repository: the command of the installed package.
  return { argv: ["nightshift", "up", "--sidecar"] };
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
