// For the tests: contexts with the shapes of the real gateway (openclaw 2026.9.6), fields that don't matter left out.
import { Runs } from "./runs.js";

export const MAIN = "agent:main:main";
export const webChat = {
  runId: "run-1",
  agentId: "main",
  sessionKey: MAIN,
  sessionId: "s-1",
  trigger: "user",
  channel: "webchat",
  messageProvider: "webchat",
  channelId: MAIN,
  chatId: MAIN,
  senderId: "gateway-client",
};
export const direct = {
  ...webChat,
  runId: "run-2",
  channel: "rigchat",
  messageProvider: "rigchat",
  accountId: "default",
  channelId: "bob",
  chatId: "bob",
  senderId: "bob",
};
export const group = {
  ...direct,
  runId: "run-3",
  sessionKey: "agent:main:rigchat:group:room1",
  channelId: "room1",
  chatId: "room1",
};
// `openclaw agent` on a shared session: no sender, and the chat of whoever wrote there last.
export const commandLine = { ...direct, runId: "run-4", senderId: undefined };
export const http = {
  ...webChat,
  runId: "chatcmpl_1",
  sessionKey: "agent:main:openai-user:carol",
  channelId: "webchat",
  chatId: "webchat",
  senderId: undefined,
};

/** A run whose tools were made with `senderIsOwner` before its prompt, as the gateway does. */
export function begun(ctx, senderIsOwner, { entry, runs = new Runs() } = {}) {
  if (senderIsOwner !== undefined) {
    runs.noteFactory({
      sessionKey: ctx.sessionKey,
      requesterSenderId: ctx.senderId,
      messageChannel: ctx.channel,
      senderIsOwner,
    });
  }
  return runs.begin(ctx, { entry }).session;
}
