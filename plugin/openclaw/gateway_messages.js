// For the tests: messages with the shapes of the real gateway (openclaw 2026.9.6), as stored and as a run adds them.

export const OWNER = {
  sessionKey: "agent:main:main",
  channel: "webchat",
  isOwner: true,
  trigger: "user",
  chatType: "direct",
};
export const BOB = {
  sessionKey: "agent:main:main",
  senderId: "bob",
  channel: "rigchat",
  isOwner: false,
  trigger: "user",
  chatType: "direct",
};
export const says = (text) => [{ type: "text", text }];
export const stored = {
  owner: (text, key = text) => ({
    role: "user",
    content: text,
    timestamp: 1,
    idempotencyKey: `${key}:user`,
    __openclaw: { senderIsOwner: true, transport: {} },
  }),
  sender: (senderId, text) => ({
    role: "user",
    content: text,
    timestamp: 1,
    idempotencyKey: `channel-user:v1:${text}`,
    __openclaw: { senderIsOwner: false, senderId, senderName: senderId.toUpperCase() },
  }),
  answer: (text) => ({
    role: "assistant",
    content: says(text),
    stopReason: "stop",
    timestamp: 1,
    __openclaw: { runId: "old" },
  }),
};
export const fresh = {
  user: (text, key) => ({
    role: "user",
    content: says(text),
    timestamp: Date.parse("2026-05-01T10:00:00Z"),
    ...(key && { idempotencyKey: key }),
  }),
  answer: (text, more) => ({ role: "assistant", content: says(text), stopReason: "stop", timestamp: 2, ...more }),
};
