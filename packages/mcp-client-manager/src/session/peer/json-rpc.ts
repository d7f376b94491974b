import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type Redact, redactData } from '../../redaction.js';
import { malformedResponseCode } from '../../transport/read-message.js';

export type Params = Readonly<Record<string, unknown>>;
/** A `result` as the server sent it. */
export type RawResult = Readonly<Record<string, unknown>>;

export const methodNotFound = -32_601;
export const invalidParams = -32_602;
export const internalError = -32_603;

/** An error from or for a server. */
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

export function readRpcError(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : malformedResponseCode,
    message: typeof message === 'string' ? message : 'The response has neither a result nor an error',
    data,
  };
}

/**
 * Number of a response id. Some servers return it as a string, which the SDK accepts. Only the canonical spelling
 * counts: `"5.0"`, `" 5"` and `"0x5"` match no request.
 */
export function numberOfId(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return String(number) === id ? number : undefined;
}

/** A JSON-RPC error ends up in errors, status and logs. Other messages stay unchanged. */
export function redactRpcError<Message extends object>(message: Message, redact: Redact): Message {
  if (!('error' in message) || typeof message.error !== 'object' || message.error === null) return message;
  const redacted = Object.entries(message.error).map(([key, value]) => [
    key,
    key === 'code' ? value : redactData(value, redact),
  ]);
  return { ...message, error: Object.fromEntries(redacted) };
}
