const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const ID_BYTES = 16;
const IDS_AT_A_TIME = 64;

/**
 * Unguessable ids of calls: an id entitles its bearer to reply. Random bytes are drawn for 64 ids at a time, because
 * each system call is expensive.
 */
export class CallIds {
  readonly #bytes = new Uint8Array(ID_BYTES * IDS_AT_A_TIME);
  #used = this.#bytes.byteLength;

  next(): string {
    if (this.#used === this.#bytes.byteLength) {
      crypto.getRandomValues(this.#bytes);
      this.#used = 0;
    }
    let id = '';
    for (const end = this.#used + ID_BYTES; this.#used < end; this.#used += 1) id += HEX[this.#bytes[this.#used] ?? 0];
    return id;
  }
}
