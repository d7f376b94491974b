import type { JsonRpcMessage } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import type { InProcessServer } from '../spec.js';
import { type ChannelListeners, deliver, type LineChannel } from './message-channel.js';
import { oversizedAnswer } from './oversized-message.js';
import { malformedResponseCode, readableResponse, readMessage } from './read-message.js';

/** The transport interface of both SDK generations. */
class ServerTransport {
  readonly #deliver: (text: string) => void;
  readonly #onClosed: () => void;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JsonRpcMessage) => void;

  constructor({ deliver, onClosed }: { deliver: (text: string) => void; onClosed: () => void }) {
    this.#deliver = deliver;
    this.#onClosed = onClosed;
  }

  async start(): Promise<void> {}

  async send(message: object): Promise<void> {
    if (this.#isClosed) throw new Error('Not connected');
    this.#deliver(textOf(message));
  }

  receive(text: string): void {
    if (this.#isClosed) return;
    try {
      this.onmessage?.(JSON.parse(text));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
    this.#onClosed();
  }
}

/**
 * Messages pass through JSON, so that neither side can modify the other's objects. They are delivered in order, each in
 * its own microtask.
 */
export class InProcessChannel implements LineChannel {
  readonly #maxMessageBytes: number;
  readonly #server: ServerTransport;
  #listeners: ChannelListeners | undefined;
  #isClosed = false;

  constructor({ maxMessageBytes }: { maxMessageBytes: number }) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#server = new ServerTransport({
      deliver: (text) => queueMicrotask(() => this.#receive(text)),
      onClosed: () => queueMicrotask(() => this.#close()),
    });
  }

  /** @throws The server's error, for example when it is connected already. */
  async connect(server: InProcessServer): Promise<void> {
    await server.connect(this.#server);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  listen(listeners: ChannelListeners): void {
    this.#listeners = listeners;
    if (this.#isClosed) listeners.onClosed();
  }

  sendLines(text: string): 'accepted' | 'closed' {
    if (this.#isClosed) return 'closed';
    for (const line of text.trimEnd().split('\n')) queueMicrotask(() => this.#server.receive(line));
    return 'accepted';
  }

  #receive(text: string): void {
    if (this.#isClosed) return;
    const listeners = this.#listeners;
    if (!listeners) return;
    const message = readMessage(text);
    // A character has at least one byte: most texts need no count.
    const isOver = text.length > this.#maxMessageBytes || this.#isOverInBytes(text);
    if (message && !isOver) deliver(listeners.onMessage, readableResponse(message));
    else if (message && isAnswer(message))
      deliver(listeners.onMessage, oversizedAnswer(message.id, { maxBytes: this.#maxMessageBytes }));
    else deliver(listeners.onJunk, text.slice(0, 1_024));
  }

  #isOverInBytes(text: string): boolean {
    return text.length * 3 > this.#maxMessageBytes && Buffer.byteLength(text) > this.#maxMessageBytes;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listeners?.onClosed();
  }
}

/** A result that JSON cannot express must fail its request at once instead of timing out. */
function textOf(message: object): string {
  try {
    return String(JSON.stringify(message));
  } catch (cause) {
    const why = messageOf(cause);
    const error = { code: malformedResponseCode, message: `The answer cannot be written as JSON: ${why}` };
    if (isAnswer(message as JsonRpcMessage))
      return JSON.stringify({ jsonrpc: '2.0', id: (message as JsonRpcMessage).id, error });
    throw cause;
  }
}

function isAnswer(message: JsonRpcMessage): message is JsonRpcMessage & { readonly id: string | number } {
  return message.method === undefined && (typeof message.id === 'string' || typeof message.id === 'number');
}
