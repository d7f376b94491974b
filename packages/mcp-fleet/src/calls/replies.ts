import type { ToolProgress } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { CHUNK, type Chunk, readChunk } from './chunks.js';
import { isCount, readJson, toBytes } from './json.js';
import { readWireError, type WireError } from './wire-error.js';
import { readValue, toMessage, type WrittenValue } from './wire-value.js';

/**
 * What an owner sends to the node that calls. On the wire the first byte is the letter of the kind, and the rest is its
 * JSON; of a chunk it is the chunk, and of a result the bytes of a `WrittenValue`.
 */
export type Reply =
  /** The tool is being run from now on. */
  | { readonly kind: 'accepted' }
  /** Arguments that do not fit into one message may be sent up to that chunk. */
  | { readonly kind: 'room'; readonly upTo: number }
  | { readonly kind: 'progress'; readonly progress: ToolProgress }
  /** A result of so many bytes follows in chunks. */
  | { readonly kind: 'size'; readonly bytes: number }
  | { readonly kind: 'chunk'; readonly chunk: Chunk }
  | { readonly kind: 'final'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: WireError }
  /** The server needs something of the client. `n` counts the questions of one call. */
  | {
      readonly kind: 'question';
      readonly n: number;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** Nobody waits for the answer to that question any more. */
  | { readonly kind: 'withdrawn'; readonly n: number }
  /** A known letter, and what follows it is wrong. */
  | { readonly kind: 'invalid' };

const ACCEPTED = 'A'.charCodeAt(0);
const FINAL = 'F'.charCodeAt(0);

export const accepted: Uint8Array = new Uint8Array([ACCEPTED]);
export const encodeRoom = (upTo: number) => toBytes(`R{"upTo":${upTo}}`);
export const encodeSize = (bytes: number) => toBytes(`S{"bytes":${bytes}}`);
export const encodeProgress = ({ progress, total, message }: ToolProgress) =>
  toBytes(`P${JSON.stringify({ progress, total, message })}`);
export const encodeError = (error: WireError) => toBytes(`E${JSON.stringify(error)}`);
export const encodeQuestion = (n: number, method: string, params: unknown) =>
  toBytes(`Q${JSON.stringify({ n, method, params })}`);
export const encodeWithdrawn = (n: number) => toBytes(`W{"n":${n}}`);
/** `undefined` for a result that is longer than the message may be. Returns what `toMessage` does. */
export const encodeFinal = (result: WrittenValue, maxMessageBytes: number) => toMessage('F', result, maxMessageBytes);

/**
 * @param maxResultBytes - Of a result that is longer nothing is read but its size.
 * @returns `undefined` for a letter that this version does not know.
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

/** The result that the bytes are, in one message or put together from chunks. */
export function readFinal(bytes: Uint8Array): Reply {
  const result = readValue(bytes);
  return result === undefined ? { kind: 'invalid' } : { kind: 'final', result };
}

type Body = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (body: Body) => Reply | undefined>> = {
  R: ({ upTo }) => (isCount(upTo) ? { kind: 'room', upTo } : undefined),
  S: ({ bytes }) => (isCount(bytes) && bytes > 0 ? { kind: 'size', bytes } : undefined),
  P: (body) => readProgress(body),
  E: (body) => ({ kind: 'error', error: readWireError(body) }),
  Q: ({ n, method, params = {} }) =>
    isCount(n) && typeof method === 'string' && isRecord(params) ? { kind: 'question', n, method, params } : undefined,
  W: ({ n }) => (isCount(n) ? { kind: 'withdrawn', n } : undefined),
};

function readProgress({ progress, total, message }: Body): Reply | undefined {
  if (typeof progress !== 'number') return undefined;
  const amount = typeof total === 'number' ? { total } : {};
  const words = typeof message === 'string' ? { message } : {};
  return { kind: 'progress', progress: { progress, ...amount, ...words } };
}
