/** Size of the blocks for small pieces. */
const blockBytes = 16 * 1_024;

/** Copies small pieces into blocks, since each piece costs some hundred bytes. Uses at most twice the added size. */
export class ByteBuffer {
  #pieces: Buffer[] = [];
  #block: Buffer | undefined;
  #blockLength = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (piece.length >= blockBytes) {
      this.#endBlock();
      this.#pieces.push(asBuffer(piece));
      return;
    }
    let rest = piece;
    while (rest.length > 0) {
      this.#block ??= Buffer.allocUnsafeSlow(blockBytes);
      const taken = rest.subarray(0, blockBytes - this.#blockLength);
      this.#block.set(taken, this.#blockLength);
      this.#blockLength += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#blockLength === blockBytes) this.#endBlock();
    }
  }

  take(): Buffer {
    this.#endBlock();
    const [only, ...others] = this.#pieces;
    const whole = only && others.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }

  #endBlock(): void {
    if (this.#block) this.#pieces.push(this.#block.subarray(0, this.#blockLength));
    this.#block = undefined;
    this.#blockLength = 0;
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
