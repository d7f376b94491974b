import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { malformedResponseCode } from '../transport/readable-response.js';

/** The `params` of a request or a notification, or a part of them. */
export type Params = Readonly<Record<string, unknown>>;
/** A `result` as the server sent it, with every key. */
export type RawResult = Readonly<Record<string, unknown>>;

export const methodNotFound = -32_601;
export const invalidParams = -32_602;
export const internalError = -32_603;

/** A JSON-RPC error: what a server answered with, or what it is to be answered with. */
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

/** The `error` of an answer in the form that callers rely on. */
export function readRpcError(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : malformedResponseCode,
    message: typeof message === 'string' ? message : 'The answer has neither a result nor an error',
    data,
  };
}

/**
 * The number that an answer's id stands for. Some servers send it back as text, which every client on the SDK takes: that
 * counts in the one spelling that the number has, so that `"5.0"`, `" 5"` and `"0x5"` are nobody's ids.
 */
export function numberOfId(id: unknown): number | undefined {
  if (typeof id === 'number') return id;
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return String(number) === id ? number : undefined;
}
