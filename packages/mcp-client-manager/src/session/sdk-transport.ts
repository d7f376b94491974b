import type { Transport } from '@modelcontextprotocol/client';
import type { JsonRpcMessage } from '@x/internal/contracts';
import { type ChannelListeners, isLineChannel, type MessageChannel } from '../transport/message-channel.js';
import { CallLane, type CallLaneOptions } from './call-lane.js';
import { withHiddenError } from './hidden-error.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { Outbox } from './outbox.js';

/** The only revision in which several messages may come as one JSON array. */
export const revisionWithBatches = '2025-03-26';

type SdkMessage = Parameters<Transport['send']>[0];

/**
 * Lets one message channel serve several SDK clients one after another, so that a server which refuses the first
 * handshake is asked again on the same process. Closing an SDK client detaches it and leaves the channel alone.
 */
export class SdkTransportPort {
  readonly #channel: MessageChannel;
  #current: SdkTransport | undefined;
  #lane: CallLane | undefined;
  #isClosed = false;
  #readsBatches = false;
  readonly #lastStderrAt: () => number;
  #lastHeardAt = performance.now();

  constructor(
    channel: MessageChannel,
    {
      onJunk,
      redact,
      lastStderrAt,
    }: Pick<ChannelListeners, 'onJunk'> & Pick<OpenSessionOptions, 'redact'> & { lastStderrAt: () => number },
  ) {
    this.#channel = channel;
    this.#lastStderrAt = lastStderrAt;
    channel.listen({
      onMessage: (received) => {
        this.#lastHeardAt = performance.now();
        const message = redact ? withHiddenError(received, redact) : received;
        if (!this.#lane?.take(message)) this.#current?.onmessage?.(message as unknown as SdkMessage);
      },
      onJunk,
      readsBatches: () => this.#readsBatches,
      onClosed: () => this.close(),
    });
  }

  /** The transport for the next SDK client. The one before must be closed. */
  attach(): Transport {
    this.#current = new SdkTransport(this.#channel, { onClosed: () => this.#lane?.close() });
    return this.#current;
  }

  /** To be called when the revision of the protocol is known. */
  agreed(protocolVersion: string): void {
    this.#readsBatches = protocolVersion === revisionWithBatches;
  }

  /** Opens the short way for calls beside the present client; `undefined` if the channel has no lines to write. */
  openLane(options: CallLaneOptions): CallLane | undefined {
    this.#lane = isLineChannel(this.#channel) ? new CallLane(this.#channel, options) : undefined;
    return this.#lane;
  }

  /** When the last message came, by `performance.now()`. */
  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  /** When the last byte came, on stdout or stderr, by `performance.now()`. */
  get lastByteAt(): number {
    return Math.max(this.#channel.lastByteAt ?? this.#lastHeardAt, this.#lastStderrAt());
  }

  /** Whether the channel has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Makes the present client see its connection closed, whether or not the channel has noticed yet. */
  close(): void {
    this.#isClosed = true;
    void this.#current?.close();
  }
}

class SdkTransport implements Transport {
  readonly #outbox: Outbox;
  readonly #onClosed: () => void;
  #isOpen = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(channel: MessageChannel, { onClosed }: { onClosed: () => void }) {
    this.#outbox = new Outbox(channel);
    this.#onClosed = onClosed;
  }

  /** The channel runs already; the SDK calls this once more after its own version probe. */
  async start(): Promise<void> {}

  async send(message: SdkMessage): Promise<void> {
    await this.#outbox.send(message as unknown as JsonRpcMessage);
  }

  /** Whether the request of this id is not written yet. */
  holds(id: number): boolean {
    return this.#outbox.holds(id);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onclose?.(); // while the outbox still tells what was not written
    this.#outbox.close();
    this.#onClosed();
  }
}
