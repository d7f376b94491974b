import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type Redact, redactData } from '../../redaction.js';
import { malformedResponseCode } from '../../transport/readable-response.js';

/** `params` of a request or notification, or a part of them. */
export type Params = Readonly<Record<string, unknown>>;
/** A `result` as the server sent it, with unknown keys. */
export type RawResult = Readonly<Record<string, unknown>>;

export const methodNotFound = -32_601;
export const invalidParams = -32_602;
export const internalError = -32_603;

/** A JSON-RPC error that a server sent, or that goes to a server. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Normalizes the `error` of a response. */
export function readRpcError(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : malformedResponseCode,
    message: typeof message === 'string' ? message : 'The response has neither a result nor an error',
    data,
  };
}

/**
 * Request id of a response. Some servers return the id as a string, which clients on the SDK accept. Only the canonical
 * spelling counts: `"5.0"`, `" 5"` and `"0x5"` match no request.
 */
export function numberOfId(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return String(number) === id ? number : undefined;
}

/**
 * Redacts the JSON-RPC error of a message, since it ends up in errors, status and logs. Other messages stay unchanged.
 */
export function redactRpcError<Message extends object>(message: Message, redact: Redact): Message {
  if (!('error' in message) || typeof message.error !== 'object' || message.error === null) return message;
  const redacted = Object.entries(message.error).map(([key, value]) => [
    key,
    key === 'code' ? value : redactData(value, redact),
  ]);
  return { ...message, error: Object.fromEntries(redacted) };
}
