// HTTP to the service, over connections on which it has proved that it knows the token. A program that took over the
// port can't be told from the service by its address, so what counts is the TCP connection: the token and the words of
// a turn go only through one that carried a proof, and nothing is written to any other.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { setImmediate } from "node:timers/promises";
import { gatewayId } from "./gateway_id.js";

const IDLE_MS = 3000; // shorter than the service keeps an idle connection, so that none closes under a request
const CONNECTIONS = 16;
const ANSWER_BYTES = 16 * 1024 * 1024;
const ATTEMPTS = 4;

/** What went wrong on the way; the message is for people and holds no secret. */
export class TransportError extends Error {}

class Unproven extends Error {}

export class Transport {
  #url;
  #token;
  #proven = new WeakSet();
  #agent;
  #http;

  /**
   * @param {string} baseUrl
   * @param {() => Promise<string>} token Reads the token; asked for every proof, so that a new one is noticed.
   */
  constructor(baseUrl, token) {
    this.#url = new URL(baseUrl);
    this.#token = token;
    this.#http = this.#url.protocol === "https:" ? https : http;
    this.#agent = new this.#http.Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_MS });
  }

  /**
   * One request over a proven connection.
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, signal: AbortSignal }} options
   * @returns {Promise<{ status: number, body: any }>}
   * @throws {TransportError}
   */
  async request(method, path, { body, signal }) {
    const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    let token = await (Object.keys(this.#agent.freeSockets).length ? this.#readToken(signal) : this.prove(signal));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(method, path, { data, signal, headers: this.#headers(token, data) });
      } catch (error) {
        const isStale = error instanceof Unproven || (error.code === "ECONNRESET" && attempt === 1);
        if (!isStale || attempt >= ATTEMPTS || signal.aborted) throw explain(error, signal);
        token = await this.prove(signal);
      }
    }
  }

  /**
   * Ask the service to prove that it knows the token.
   * @param {AbortSignal} signal
   * @returns {Promise<string>} The token.
   * @throws {TransportError}
   */
  async prove(signal) {
    const token = await this.#readToken(signal);
    const nonce = randomBytes(16).toString("hex");
    let answer;
    try {
      answer = await this.#send("GET", `/healthz?nonce=${nonce}`, { signal, headers: {}, isFree: true });
    } catch (error) {
      throw explain(error, signal);
    }
    const wanted = createHmac("sha256", token).update(nonce).digest();
    const given = Buffer.from(String(answer.body?.proof ?? ""), "hex");
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      answer.socket.destroy();
      throw new TransportError(`what answers on ${this.#url.host} doesn't know the token`);
    }
    this.#proven.add(answer.socket);
    await setImmediate(); // by then the agent has the connection back and gives it to the next request
    return token;
  }

  /** Close idle connections and forget what was proven. */
  close() {
    this.#agent.destroy();
    this.#proven = new WeakSet();
  }

  async #readToken(signal) {
    try {
      return await this.#token();
    } catch (error) {
      throw explain(error, signal);
    }
  }

  #headers(token, data) {
    const headers = { authorization: `Bearer ${token}`, "x-nightshift-gateway": gatewayId() };
    return data ? { ...headers, "content-type": "application/json", "content-length": data.length } : headers;
  }

  #send(method, path, { data, signal, headers, isFree }) {
    return new Promise((resolve, reject) => {
      const request = this.#http.request({
        method,
        headers,
        signal,
        agent: this.#agent,
        protocol: this.#url.protocol,
        hostname: this.#url.hostname.replace(/^\[|\]$/g, ""),
        port: this.#url.port,
        path: `${this.#url.pathname.replace(/\/$/, "")}${path}`,
      });
      request.on("error", reject);
      // Not a byte is written before end(): that is what makes this check one.
      request.on("socket", (socket) => {
        if (isFree || this.#proven.has(socket)) request.end(data);
        else request.destroy(new Unproven());
      });
      request.on("response", (response) => {
        const { socket } = response;
        read(response).then((body) => resolve({ status: response.statusCode, body, socket }), reject);
      });
    });
  }
}

async function read(response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw new TransportError("the answer is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function explain(error, signal) {
  if (error instanceof TransportError) return error;
  if (signal.aborted)
    return new TransportError(signal.reason?.name === "TimeoutError" ? "no answer in time" : "the call was cancelled");
  if (error.code === "ENOENT") return new TransportError("there is no token yet: the service never ran with this home");
  return new TransportError(error.code ?? error.message);
}
