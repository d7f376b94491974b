import { type Redact, redactData } from '../redaction.js';

/** The same message; of a JSON-RPC error, what it says has gone through `redact`: it ends up in errors, status and logs. */
export function withHiddenError<Message extends object>(message: Message, redact: Redact): Message {
  if (!('error' in message) || typeof message.error !== 'object' || message.error === null) return message;
  const hidden = Object.entries(message.error).map(([key, value]) => [
    key,
    key === 'code' ? value : redactData(value, redact),
  ]);
  return { ...message, error: Object.fromEntries(hidden) };
}
