import type { ToolProgress } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { CHUNK, type Chunk, readChunk } from './chunks.js';
import { isCount, readJson, toBytes } from './json.js';
import { readWireError, type WireError } from './wire-error.js';
import { readValue, toMessage, type WrittenValue } from './wire-value.js';

/**
 * Message of the owner about a call. On the wire: one letter for the kind, then JSON, a chunk, or the bytes of a
 * `WrittenValue`.
 */
export type Reply =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'credit'; readonly upTo: number }
  | { readonly kind: 'progress'; readonly progress: ToolProgress }
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'chunk'; readonly chunk: Chunk }
  | { readonly kind: 'final'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: WireError }
  /** Server request to the client. `n` numbers the requests of one call. */
  | {
      readonly kind: 'request';
      readonly n: number;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'request-cancelled'; readonly n: number }
  | { readonly kind: 'invalid' };

const ACCEPTED = 'A'.charCodeAt(0);
const FINAL = 'F'.charCodeAt(0);

export const accepted: Uint8Array = new Uint8Array([ACCEPTED]);
export const encodeCredit = (upTo: number) => toBytes(`R{"upTo":${upTo}}`);
export const encodeSize = (bytes: number) => toBytes(`S{"bytes":${bytes}}`);
export const encodeProgress = ({ progress, total, message }: ToolProgress) =>
  toBytes(`P${JSON.stringify({ progress, total, message })}`);
export const encodeError = (error: WireError) => toBytes(`E${JSON.stringify(error)}`);
export const encodeServerRequest = (n: number, method: string, params: unknown) =>
  toBytes(`Q${JSON.stringify({ n, method, params })}`);
export const encodeCancelledRequest = (n: number) => toBytes(`W{"n":${n}}`);
/** `undefined` if the result exceeds the message. Shares memory as `toMessage` does. */
export const encodeFinal = (result: WrittenValue, maxMessageBytes: number) => toMessage('F', result, maxMessageBytes);

/**
 * @param maxResultBytes - Longer results are not parsed; only their size is reported.
 * @returns `undefined` for letters of later versions.
 */
export function readReply(message: Uint8Array, maxResultBytes = Number.POSITIVE_INFINITY): Reply | undefined {
  const [letter] = message;
  if (letter === ACCEPTED) return { kind: 'accepted' };
  if (letter === FINAL) {
    const bytes = message.subarray(1);
    return bytes.byteLength > maxResultBytes ? { kind: 'size', bytes: bytes.byteLength } : readFinal(bytes);
  }
  if (letter === CHUNK) {
    const chunk = readChunk(message);
    return chunk === undefined ? { kind: 'invalid' } : { kind: 'chunk', chunk };
  }
  const read = letter === undefined ? undefined : readers[String.fromCharCode(letter)];
  if (read === undefined) return undefined;
  const body = readJson(message.subarray(1));
  return (isRecord(body) ? read(body) : undefined) ?? { kind: 'invalid' };
}

export function readFinal(bytes: Uint8Array): Reply {
  const result = readValue(bytes);
  return result === undefined ? { kind: 'invalid' } : { kind: 'final', result };
}

type Body = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (body: Body) => Reply | undefined>> = {
  R: ({ upTo }) => (isCount(upTo) ? { kind: 'credit', upTo } : undefined),
  S: ({ bytes }) => (isCount(bytes) && bytes > 0 ? { kind: 'size', bytes } : undefined),
  P: (body) => readProgress(body),
  E: (body) => ({ kind: 'error', error: readWireError(body) }),
  Q: ({ n, method, params = {} }) =>
    isCount(n) && typeof method === 'string' && isRecord(params) ? { kind: 'request', n, method, params } : undefined,
  W: ({ n }) => (isCount(n) ? { kind: 'request-cancelled', n } : undefined),
};

function readProgress({ progress, total, message }: Body): Reply | undefined {
  if (typeof progress !== 'number') return undefined;
  const amount = typeof total === 'number' ? { total } : {};
  const words = typeof message === 'string' ? { message } : {};
  return { kind: 'progress', progress: { progress, ...amount, ...words } };
}
