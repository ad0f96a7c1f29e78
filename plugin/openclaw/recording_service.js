// For the tests: a service on loopback that proves its token, keeps every request and answers as told.
import { createHmac } from "node:crypto";
import http from "node:http";
import { Client } from "./client.js";
import { readSettings } from "./settings.js";

export const TOKEN = "a-token-of-the-tests";

/**
 * Start one.
 * @param {{ token?: string, port?: number, answer?: (path: string, body: object, request: http.IncomingMessage) => any }} [options]
 *   An answer is a body, `{ status, body }`, or a promise of one; `"hang"` never answers.
 */
export async function startService({ token = TOKEN, port = 0, answer = () => ({}) } = {}) {
  const service = { requests: [], connections: 0, answer, token };
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = text ? JSON.parse(text) : undefined;
    service.requests.push({
      method: request.method,
      path: url.pathname,
      body,
      authorization: request.headers.authorization,
    });
    if (url.pathname === "/healthz") return send(response, 200, { status: "ok", proof: proofOf(service.token, url) });
    if (request.headers.authorization !== `Bearer ${service.token}`)
      return send(response, 401, { error: { code: "unauthorized", message: "", retryable: false } });
    const given = await service.answer(url.pathname, body, request);
    if (given === "hang") return undefined;
    if (given === "cut") return request.socket.destroy();
    return typeof given?.status === "number" && "body" in given
      ? send(response, given.status, given.body)
      : send(response, 200, given);
  });
  server.on("connection", () => {
    service.connections += 1;
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  service.port = server.address().port;
  service.url = `http://127.0.0.1:${service.port}`;
  service.calls = (path) => service.requests.filter((request) => request.path === path).map(({ body }) => body);
  service.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return service;
}

function proofOf(token, url) {
  const nonce = url.searchParams.get("nonce");
  return nonce === null ? undefined : createHmac("sha256", token).update(nonce).digest("hex");
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A logger that keeps its lines. */
export function recordingLogger() {
  const lines = [];
  const write = (level) => (line) => {
    lines.push(`${level} ${line}`);
  };
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** Wait until something holds. */
export async function until(holds, { timeoutMs = 15_000 } = {}) {
  const end = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`it never came true: ${holds}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** Starts services and clients for one test file; what ends them is put into `endings`. */
export function servicesOf(endings) {
  async function serve(options) {
    const service = await startService(options);
    endings.push(() => service.stop());
    return service;
  }
  function connect({ url }, { config = {}, now } = {}) {
    const logger = recordingLogger();
    const raw = { baseUrl: url, apiKey: TOKEN, timeoutMs: 400, ...config };
    const client = new Client(readSettings(raw, { env: {} }), { logger, now });
    endings.push(() => client.close());
    return { client, logger };
  }
  return { serve, connect };
}
