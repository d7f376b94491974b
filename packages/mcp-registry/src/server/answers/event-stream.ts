import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { inBackground } from '../../background-timer.js';

/** The headers of an answer that is a stream of events. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

const UTF8 = new TextEncoder();

/** A stream of events to one client, which is written to now and then so that nothing on the way gives it up. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>; // given by `start`, which runs in the constructor
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onOver: () => void;
  #isOver = false;

  /** @param onOver - Called once: nothing can be written any more. */
  constructor({ keepAliveMs, onOver }: { readonly keepAliveMs: number; readonly onOver: () => void }) {
    this.#onOver = onOver;
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#finish(),
    });
    this.#timer = inBackground(setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs));
  }

  /** Says where the stream begins, for a client that may have to come back, and when it is to do so. */
  begin(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  tell(message: JSONRPCMessage, id: string): void {
    this.#write(`event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** May be called twice. */
  end(): void {
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
