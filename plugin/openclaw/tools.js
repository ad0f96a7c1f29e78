// The tools the agent has. A tool never fails a turn: what went wrong is said in its answer.
import { toolNames } from "./tool_names.js";
import { toolSchemas } from "./tool_schemas.js";

const WAIT_MS = 125_000; // the service itself stops waiting after 120 s

/**
 * Register the tools.
 * @param {any} api The gateway's plugin api.
 * @param {{ client: import("./client.js").Client, runs: import("./runs.js").Runs, settings: object, entryOf: (ctx: object) => object | undefined }} parts
 */
export function registerTools(api, { client, runs, settings, entryOf }) {
  for (const schema of toolSchemas(toolNames(settings.ownsMemory))) {
    api.registerTool(
      (ctx) => {
        runs.noteFactory(ctx);
        return tool(schema, (args, signal) =>
          call(schema, {
            args,
            signal,
            client,
            session: runs.ofTool(ctx, { settings, entry: entryOf(ctx) }),
          }),
        );
      },
      { name: schema.name },
    );
  }
}

function tool({ name, label, description, parameters, isDirect }, execute) {
  return {
    name,
    label,
    description,
    parameters,
    ...(isDirect && { catalogMode: "direct-only" }),
    getExecutionTimeoutMs: () => WAIT_MS + 5000,
    execute: (_callId, args, signal) => execute(args ?? {}, signal),
  };
}

async function call({ service }, { args, signal, client, session }) {
  const isLongWait = args.wait === true;
  const sent = await client.post(
    `/v1/tools/${service}`,
    { session, arguments: args },
    {
      isLongWait,
      signal,
      ...(isLongWait && { timeoutMs: WAIT_MS }),
    },
  );
  if (!sent.ok) {
    return answer(
      `Long-term memory can't be used right now (${sent.reason}). Nothing was read or changed; go on without it.`,
      { unavailable: true },
    );
  }
  const { text, details, isError } = sent.body;
  return answer(String(text ?? ""), isError ? { ...details, isError: true } : (details ?? {}));
}

const answer = (text, details) => ({ content: [{ type: "text", text }], details });
