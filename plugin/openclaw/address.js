// Where the service may be: turns go to this machine, or over TLS to a service that the operator named himself.

const DEFAULT_PORT = 7461;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Where the service is.
 * @param {{ wanted?: string, port?: string, mode: string, apiKey?: string, mayReceiveTurns: boolean }} given `wanted` is
 *   the configured URL; turns go to a remote service before anything is masked, so the operator has to allow it.
 * @returns {{ baseUrl: string } | { off: string }} `off` says in one sentence why there is none that may be asked.
 */
export function addressOf({ wanted, port, mode, apiKey, mayReceiveTurns }) {
  let url;
  try {
    url = new URL(wanted ?? `http://127.0.0.1:${port || DEFAULT_PORT}`);
  } catch {
    return { off: "baseUrl: is not a URL" };
  }
  const isLocal = LOOPBACK.has(url.hostname);
  const off =
    refusedUrl(url) ??
    (mode === "remote" ? refusedRemote(url, { wanted, apiKey, isLocal, mayReceiveTurns }) : refusedLocal(isLocal));
  return off ? { off } : { baseUrl: url.href.replace(/\/+$/, "") };
}

function refusedUrl({ protocol, username, password }) {
  if (protocol !== "http:" && protocol !== "https:") return "baseUrl: must start with http:// or https://";
  if (username || password) return "baseUrl: must not hold a user or password; use apiKey";
  return undefined;
}

function refusedLocal(isLocal) {
  return isLocal ? undefined : "baseUrl: mode local needs a loopback address; set mode to remote for another machine";
}

function refusedRemote({ protocol }, { wanted, apiKey, isLocal, mayReceiveTurns }) {
  if (!wanted) return "baseUrl: mode remote needs the URL of your own service";
  if (!isLocal && protocol !== "https:") return "baseUrl: turns go to another machine over https:// only";
  if (!isLocal && !mayReceiveTurns)
    return "privacy.ownRemote: a remote service gets every turn whole; set it to true if that service is your own";
  // In these words: the gateway masks what stands behind "apiKey:" in a tool's answer.
  if (!apiKey) return "mode: remote needs the service's token in apiKey";
  return undefined;
}
