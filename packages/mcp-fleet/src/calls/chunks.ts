import { FleetError } from '../errors.js';

/** The first byte of a chunk's message: `C`. */
export const CHUNK = 0x43;
/** Before the bytes of a chunk: the letter, and its index in 4 bytes, the highest first. */
export const CHUNK_HEAD_BYTES = 5;
/** Chunks that are sent before the other side has said that it has the first of them. */
export const CHUNKS_AHEAD = 8;
/** So often the other side says how far it is. */
const CHUNKS_PER_CREDIT = CHUNKS_AHEAD / 2;

export interface Chunk {
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** @param memory - Where the message is written. Default: memory of its own. */
export function encodeChunk(
  { index, bytes }: Chunk,
  memory: Uint8Array = new Uint8Array(CHUNK_HEAD_BYTES + bytes.byteLength),
): Uint8Array {
  const message = memory.subarray(0, CHUNK_HEAD_BYTES + bytes.byteLength);
  message[0] = CHUNK;
  new DataView(message.buffer, message.byteOffset).setUint32(1, index);
  message.set(bytes, CHUNK_HEAD_BYTES);
  return message;
}

/** What is in a chunk's message; `undefined` when it is none. */
export function readChunk(message: Uint8Array): Chunk | undefined {
  if (message[0] !== CHUNK || message.byteLength <= CHUNK_HEAD_BYTES) return undefined;
  const index = new DataView(message.buffer, message.byteOffset, message.byteLength).getUint32(1);
  return { index, bytes: message.subarray(CHUNK_HEAD_BYTES) };
}

/** Sends what is too long for one message, as far as the other side lets it. */
export class ChunkSender {
  readonly #bytes: Uint8Array;
  readonly #chunkBytes: number;
  readonly #memory: Uint8Array;
  readonly #send: (message: Uint8Array) => void;
  #next = 0;

  /**
   * @param maxMessageBytes - Longest message, with its head.
   * @param send - Given the same memory each time. What it throws, `allow` throws.
   */
  constructor(bytes: Uint8Array, maxMessageBytes: number, send: (message: Uint8Array) => void) {
    this.#bytes = bytes;
    this.#chunkBytes = Math.max(1, maxMessageBytes - CHUNK_HEAD_BYTES);
    this.#memory = new Uint8Array(CHUNK_HEAD_BYTES + Math.min(this.#chunkBytes, bytes.byteLength));
    this.#send = send;
  }

  /** Whether all was sent. */
  get isDone(): boolean {
    return this.#next * this.#chunkBytes >= this.#bytes.byteLength;
  }

  /** Sends the chunks before that index, but those that were sent already. */
  allow(upTo: number): void {
    while (this.#next < upTo && !this.isDone) {
      const index = this.#next;
      const start = index * this.#chunkBytes;
      this.#next += 1;
      const bytes = this.#bytes.subarray(start, start + this.#chunkBytes);
      this.#send(encodeChunk({ index, bytes }, this.#memory));
    }
  }
}

/** Puts together what was sent in chunks. */
export class Assembly {
  readonly #bytes: Uint8Array;
  #received = 0;
  #next = 0;

  constructor(totalBytes: number) {
    this.#bytes = new Uint8Array(totalBytes);
  }

  /** Up to which index the other side may send. */
  get credit(): number {
    return this.#next + CHUNKS_AHEAD;
  }

  /**
   * @returns All of it when that was the last one, and whether the other side is to be told of its new credit.
   * @throws {FleetError} `invalid-message`: the chunk is not the next one, or there is more than was announced.
   */
  add({ index, bytes }: Chunk): { readonly whole?: Uint8Array; readonly isCreditDue: boolean } {
    if (index !== this.#next) {
      throw new FleetError('invalid-message', `Part ${this.#next} was to come, and part ${index} came`);
    }
    if (this.#received + bytes.byteLength > this.#bytes.byteLength) {
      const total = `${this.#bytes.byteLength} bytes were announced`;
      throw new FleetError('invalid-message', `${total}, and part ${index} goes beyond them`);
    }
    this.#bytes.set(bytes, this.#received);
    this.#received += bytes.byteLength;
    this.#next += 1;
    if (this.#received === this.#bytes.byteLength) return { whole: this.#bytes, isCreditDue: false };
    return { isCreditDue: this.#next % CHUNKS_PER_CREDIT === 0 };
  }
}
