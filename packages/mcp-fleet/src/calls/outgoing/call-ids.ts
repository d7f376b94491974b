const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const ID_BYTES = 16;
const IDS_AT_A_TIME = 64;

/**
 * Unguessable ids of calls: an id entitles its bearer to reply. Drawn 64 at a time, because one system call for random
 * bytes costs more than using them.
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
