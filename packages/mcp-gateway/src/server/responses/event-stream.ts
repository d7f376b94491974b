import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { inBackground } from '../../timers.js';
import type { CallerTurns } from '../caller-turns.js';
import { idOf } from '../http-messages.js';
import { SMALL_BYTES, sizeOf } from '../message-sizes.js';
import { REFUSED } from '../methods/results.js';
import { Unread, type Waiting } from './waiting-bytes.js';

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

const UTF8 = new TextEncoder();
/** Larger notifications share one copy in all streams; smaller ones are cheaper to copy. */
const SHARED_BYTES = 4 * 1024;
const END = UTF8.encode('\n\n');
/** JSON of notifications by `params`, which all streams share. */
const shared = new WeakMap<object, { readonly method: string; readonly json: Uint8Array }>();

interface EventStreamOptions {
  readonly keepAliveMs: number;
  /** Paces the messages. Default: writes each at once. */
  readonly messages?: PacedMessages | undefined;
  /** Called once, after the last write. */
  readonly onOver: () => void;
}

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>; // assigned by `start`, which runs in the constructor
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onOver: () => void;
  readonly #messages: PacedMessages | undefined;
  #isOver = false;

  constructor({ keepAliveMs, messages, onOver }: EventStreamOptions) {
    this.#onOver = onOver;
    this.#messages = messages;
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#finish(),
    });
    this.#timer = inBackground(setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs));
  }

  /** Marks the start, for a client that may reconnect after `retryMs`. */
  begin(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /**
   * @param id - For a client that may reconnect.
   * @returns Rejects for a dropped message.
   */
  send(message: JSONRPCMessage, id?: string): Promise<void> | void {
    if (this.#messages !== undefined) return this.#messages.pass(message, (passed) => this.#writeMessage(passed, id));
    this.#writeMessage(message, id);
  }

  /** Ends the stream after all messages. */
  end(): void {
    if (this.#messages === undefined) this.#end();
    else this.#messages.after(() => this.#end());
  }

  #writeMessage(message: JSONRPCMessage, id: string | undefined): void {
    if (this.#isOver) return;
    const json = jsonOf(message);
    const head = id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `;
    if (typeof json === 'string') {
      this.#write(`${head}${json}\n\n`);
    } else {
      for (const piece of [UTF8.encode(head), json, END]) this.#controller.enqueue(piece);
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller.close();
  }

  #write(text: string): void {
    if (!this.#isOver) this.#controller.enqueue(UTF8.encode(text));
  }

  #finish(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#onOver();
  }
}

function jsonOf(message: JSONRPCMessage): string | Uint8Array {
  if (!('method' in message) || 'id' in message || message.params === undefined) return JSON.stringify(message);
  const { method, params } = message;
  const known = shared.get(params);
  if (known?.method === method) return known.json;
  const text = JSON.stringify(message);
  if (text.length < SHARED_BYTES) return text;
  const json = UTF8.encode(text);
  shared.set(params, { method, json });
  return json;
}

interface Queued {
  /** Counted until the message is serialized. */
  readonly bytes: number;
  readonly work: () => void;
}

/**
 * Passes the messages of one response on in order. A large one counts at once, and is serialized in a turn of its
 * caller.
 */
export class PacedMessages {
  readonly #waiting: Waiting;
  readonly #turns: CallerTurns;
  readonly #queue: Queued[] = [];
  #queuedBytes = 0;

  constructor(waiting: Waiting, turns: CallerTurns) {
    this.#waiting = waiting;
    this.#turns = turns;
  }

  /**
   * Without room, an error replaces a result. Another message is dropped, and the response ends if its client has not
   * read the data before.
   *
   * @returns Rejects with `NoRoom` for a dropped message, and with errors of `write`.
   */
  pass(message: JSONRPCMessage, write: (message: JSONRPCMessage) => Promise<void> | void): Promise<void> {
    const size = sizeOf(message);
    const counts = size > SMALL_BYTES || this.#queue.length > 0;
    const hasRoom = !counts || this.#waiting.tryAdd(size);
    if (!hasRoom && 'method' in message) {
      if (this.#waiting.bytes > this.#queuedBytes) this.#waiting.evict(new Unread());
      return Promise.reject(new NoRoom('message'));
    }
    const passed = hasRoom ? message : droppedResult(message);
    return new Promise((resolve, reject) => {
      const work = () => {
        try {
          resolve(write(passed));
        } catch (error) {
          reject(error);
        }
      };
      this.#enqueue({ bytes: counts && hasRoom ? size : 0, work });
    });
  }

  after(work: () => void): void {
    this.#enqueue({ bytes: 0, work });
  }

  #enqueue(queued: Queued): void {
    this.#queue.push(queued);
    this.#queuedBytes += queued.bytes;
    if (this.#queue.length === 1) this.#drain();
  }

  #drain({ hasTurn = false } = {}): void {
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      const isLarge = next.bytes > SMALL_BYTES && !this.#waiting.isClosed;
      const turn = isLarge && !hasTurn ? this.#turns.acquire(this.#waiting.caller) : undefined;
      if (turn !== undefined) {
        void turn.then(() => this.#drain({ hasTurn: true }));
        return;
      }
      hasTurn = false;
      if (next.bytes > 0) this.#waiting.release(next.bytes);
      this.#queuedBytes -= next.bytes;
      next.work();
      this.#queue.shift();
    }
  }
}

class NoRoom extends Error {
  constructor(what: 'message' | 'result') {
    super(
      `The ${what} was dropped, because too many bytes are pending for this caller. Read the responses, or send fewer large requests at a time.`,
    );
  }
}

export function droppedResult(message: object): JSONRPCMessage {
  return { jsonrpc: '2.0', id: idOf(message) ?? 0, error: { code: REFUSED, message: new NoRoom('result').message } };
}
