import { FleetError } from '../../errors.js';

export const CHUNK = 0x43;
/** Header of a chunk: the letter and a big-endian 32-bit index. */
export const CHUNK_HEAD_BYTES = 5;
/** Chunks that may be sent before the receiver confirms the first. */
export const CHUNKS_AHEAD = 8;
const CHUNKS_PER_CREDIT = CHUNKS_AHEAD / 2;

export interface Chunk {
  readonly index: number;
  readonly bytes: Uint8Array;
}

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

export function readChunk(message: Uint8Array): Chunk | undefined {
  if (message[0] !== CHUNK || message.byteLength <= CHUNK_HEAD_BYTES) return undefined;
  const index = new DataView(message.buffer, message.byteOffset, message.byteLength).getUint32(1);
  return { index, bytes: message.subarray(CHUNK_HEAD_BYTES) };
}

export class ChunkSender {
  readonly #bytes: Uint8Array;
  readonly #chunkBytes: number;
  readonly #memory: Uint8Array;
  readonly #send: (message: Uint8Array) => void;
  #next = 0;

  /**
   * @param maxMessageBytes - Longest message, including its header.
   * @param send - Receives the same buffer each time. Its errors pass through `allow`.
   */
  constructor(bytes: Uint8Array, maxMessageBytes: number, send: (message: Uint8Array) => void) {
    this.#bytes = bytes;
    this.#chunkBytes = Math.max(1, maxMessageBytes - CHUNK_HEAD_BYTES);
    this.#memory = new Uint8Array(CHUNK_HEAD_BYTES + Math.min(this.#chunkBytes, bytes.byteLength));
    this.#send = send;
  }

  get isDone(): boolean {
    return this.#next * this.#chunkBytes >= this.#bytes.byteLength;
  }

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

export class Assembly {
  readonly #bytes: Uint8Array;
  #received = 0;
  #next = 0;

  constructor(totalBytes: number) {
    this.#bytes = new Uint8Array(totalBytes);
  }

  get credit(): number {
    return this.#next + CHUNKS_AHEAD;
  }

  /**
   * @returns The whole payload after the last chunk, and true in `isCreditDue` if the sender needs a new window.
   * @throws {FleetError} `invalid-message`: wrong index, or more bytes than announced.
   */
  add({ index, bytes }: Chunk): { readonly whole?: Uint8Array; readonly isCreditDue: boolean } {
    if (index !== this.#next) {
      throw new FleetError('invalid-message', `Expected part ${this.#next}, got part ${index}`);
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
