import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { inBackground } from '../../timers.js';
import type { PacedMessages } from './paced-messages.js';

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

export interface EventStreamOptions {
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
  tell(message: JSONRPCMessage, id?: string): Promise<void> | void {
    if (this.#messages !== undefined) return this.#messages.pass(message, (passed) => this.#tell(passed, id));
    this.#tell(message, id);
  }

  /** Ends the stream after all messages. */
  end(): void {
    if (this.#messages === undefined) this.#end();
    else this.#messages.after(() => this.#end());
  }

  #tell(message: JSONRPCMessage, id: string | undefined): void {
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
