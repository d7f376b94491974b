import type { JsonRpcMessage } from '@x/internal/contracts';
import { ChannelClosedError, type LineChannel } from '../transport/message-channel.js';
import type { PeerRequest } from './peer-request.js';
import type { Wire, WireListener } from './wire.js';

/** How much is written in one go, in characters, before it is looked whether the server keeps up. */
const batchLength = 65_536;
/**
 * How much of answers and notifications waits to be written, in characters; more is dropped. A server that asks without
 * ever reading the answers would fill the memory of the host with them otherwise. Requests are bounded by their callers.
 */
const maxNotesLength = 8 * 1_024 * 1_024;

/** An answer or a notification that waits to be written. */
class Note {
  line: string;
  readonly settle: (error?: ChannelClosedError) => void;

  constructor(line: string, settle: Note['settle']) {
    this.line = line;
    this.settle = settle;
  }
}

/**
 * Writes messages as lines. Messages of one tick are written together; while the server has requests to work on, those of
 * one turn of the event loop. Nothing is written while the server does not read.
 */
export class LineWire implements Wire {
  readonly #channel: LineChannel;
  readonly #listener: WireListener;
  #staged: (PeerRequest | Note)[] = [];
  #notesLength = 0;
  #state: 'idle' | 'flushing' | 'blocked' | 'closed' = 'idle';

  constructor(channel: LineChannel, listener: WireListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  send(request: PeerRequest): void {
    request.line = lineOf(request);
    this.#stage(request);
  }

  async note(message: JsonRpcMessage): Promise<void> {
    if (this.#state === 'closed') throw closed();
    const line = `${JSON.stringify(message)}\n`;
    if (this.#notesLength > 0 && this.#notesLength + line.length > maxNotesLength) return;
    this.#notesLength += line.length;
    await new Promise<void>((resolve, reject) => {
      this.#stage(new Note(line, (error) => (error ? reject(error) : resolve())));
    });
  }

  withdraw(request: PeerRequest): void {
    request.line = '';
    // While nothing is written nothing is taken out either.
    if (this.#state === 'blocked') this.#staged = this.#staged.filter((each) => each !== request);
  }

  close(): void {
    const isReading = this.#state === 'idle' || this.#state === 'flushing';
    this.#state = 'closed';
    const notes = this.#staged.filter((each) => each instanceof Note);
    this.#staged = [];
    const isTaken = isReading && notes.length > 0 && this.#channel.sendLines(textOf(notes)) !== 'closed';
    for (const note of notes) note.settle(isTaken ? undefined : closed());
  }

  /** Writes what is staged, as far as the server keeps up. */
  flush(): void {
    const staged = this.#staged;
    this.#staged = [];
    let next = 0;
    while (next < staged.length && this.#state === 'flushing') {
      const from = next;
      let text = '';
      while (next < staged.length && text.length < batchLength) {
        text += this.#take(staged[next] as PeerRequest | Note);
        next += 1;
      }
      if (text === '') continue;
      const isTaken = this.#write(text);
      if (!isTaken) next = staged.length;
      this.#listener.flushed();
      for (let index = from; index < next; index += 1) this.#settle(staged[index] as PeerRequest | Note, isTaken);
    }
    if (next < staged.length) this.#staged = [...staged.slice(next), ...this.#staged];
    if (this.#state !== 'flushing') return;
    if (this.#staged.length > 0)
      process.nextTick(flush, this); // of those who heard of a failure just now
    else this.#state = 'idle';
  }

  #stage(each: PeerRequest | Note): void {
    this.#staged.push(each);
    if (this.#state !== 'idle') return;
    this.#state = 'flushing';
    // A server that has requests already is worth a wait for those that come from other connections in the same moment.
    if (this.#listener.isBusy) setImmediate(flush, this);
    else process.nextTick(flush, this);
  }

  /** The line, which counts as sent from here on; nothing if the request was withdrawn. */
  #take(each: PeerRequest | Note): string {
    const { line } = each;
    each.line = '';
    if (each instanceof Note) this.#notesLength -= line.length;
    else if (line !== '') this.#listener.sent(each);
    return line;
  }

  #settle(each: PeerRequest | Note, isTaken: boolean): void {
    if (each instanceof Note) each.settle(isTaken ? undefined : closed());
    else if (!isTaken) this.#listener.unsent(each);
  }

  /** @returns Whether the text was taken. */
  #write(text: string): boolean {
    const drained = this.#channel.sendLines(text);
    if (drained === 'closed') return false;
    if (drained === 'taken' || this.#state === 'closed') return true;
    this.#state = 'blocked';
    void drained.then(() => {
      if (this.#state !== 'blocked') return;
      this.#state = 'flushing';
      this.flush();
    });
    return true;
  }
}

// A function of its own, so that scheduling needs no closure.
function flush(wire: LineWire): void {
  wire.flush();
}

function textOf(notes: readonly Note[]): string {
  return notes.map(({ line }) => line).join('');
}

/** @throws {TypeError} The params cannot be written as JSON. */
function lineOf(request: PeerRequest): string {
  const { id, method } = request;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${jsonOf(request.paramsFor(id))}}\n`;
}

/** @throws {TypeError} */
function jsonOf(params: object): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TypeError('The arguments are nested too deep to be written as JSON', { cause: error });
  }
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('The server did not read it before the connection ended');
}
