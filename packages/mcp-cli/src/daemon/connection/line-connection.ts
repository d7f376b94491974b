import type { Socket } from 'node:net';

const newline = 0x0a;

interface LineOptions {
  /** Longest accepted line, in bytes; a longer one closes the connection. */
  readonly maxLineBytes: number;
  readonly onMessage: (message: unknown) => void;
  /** Called once. `problem`: the protocol violation of the other side. */
  readonly onClose: (problem?: string) => void;
}

/** A socket on which each line is one JSON value. */
export class LineConnection {
  readonly #socket: Socket;
  readonly #onClose: LineOptions['onClose'];
  #onMessage: LineOptions['onMessage'];
  #maxLineBytes: number;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #problem: string | undefined;
  #isDetached = false;

  constructor(socket: Socket, { maxLineBytes, onMessage, onClose }: LineOptions) {
    this.#socket = socket;
    this.#maxLineBytes = maxLineBytes;
    this.#onMessage = onMessage;
    this.#onClose = onClose;
    socket.on('data', this.#read).on('end', this.#endToo);
    socket.on('error', () => undefined); // `close` follows
    socket.once('close', () => this.#onClose(this.#problem));
  }

  /** Changes handler and limit for further lines. */
  expect({ maxLineBytes, onMessage }: Pick<LineOptions, 'maxLineBytes' | 'onMessage'>): void {
    this.#maxLineBytes = maxLineBytes;
    this.#onMessage = onMessage;
  }

  /** @returns False if the other side is slow; then await `drained`. */
  send(message: unknown): boolean {
    return this.sendText(JSON.stringify(message));
  }

  /** The same for a text of JSON. */
  sendText(json: string): boolean {
    return this.#socket.writable && this.#socket.write(`${json}\n`);
  }

  /** Bytes that the socket has not sent yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket.writable || !socket.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  /** Stops reading until `resume`, which blocks the other side. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends everything queued, then closes. */
  end(): void {
    this.#socket.end();
  }

  close(problem?: string): void {
    this.#problem ??= problem;
    this.#socket.destroy();
  }

  /** Reads no further lines: the socket belongs to the caller, paused. `onClose` is still called. */
  detach(): Socket {
    const socket = this.#socket;
    this.#isDetached = true;
    socket.off('data', this.#read).off('end', this.#endToo).pause();
    const rest = Buffer.concat(this.#chunks.splice(0));
    if (rest.length > 0) socket.unshift(rest);
    return socket;
  }

  readonly #endToo = (): void => this.end();

  readonly #read = (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0 && !this.#socket.destroyed; end = rest.indexOf(newline)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      this.#chunks = [rest]; // `detach` returns it to the socket
      this.#waitingBytes = 0;
      this.#parse(line);
      if (this.#isDetached) return;
      this.#chunks = [];
    }
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#waitingBytes += rest.length;
    if (this.#waitingBytes > this.#maxLineBytes)
      this.close(`it sent a message of more than ${this.#maxLineBytes} bytes`);
  };

  #parse(line: Buffer): void {
    if (line.length > this.#maxLineBytes) {
      this.close(`it sent a message of more than ${this.#maxLineBytes} bytes`);
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      this.close('it sent invalid JSON');
      return;
    }
    this.#onMessage(message);
  }
}
