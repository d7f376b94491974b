import type { JsonRpcMessage } from '@x/internal/contracts';
import type { PostChannel } from '../../transport/message-channel.js';
import type { PeerRequest } from './peer-request.js';

export interface Wire {
  /** @throws {TypeError} The params cannot be written as JSON. */
  send(request: PeerRequest): void;
  /** Sends a response or notification. Resolves when it is written or dropped. Rejects with `ChannelClosedError`. */
  post(message: JsonRpcMessage): Promise<void>;
  withdraw(request: PeerRequest): void;
  /** Writes queued responses and notifications first, unless the pipe is full. */
  close(): void;
}

export interface WireListener {
  readonly isBusy: boolean;
  sent(request: PeerRequest): void;
  flushed(): void;
  /** The connection closed before the server got the request. */
  unsent(request: PeerRequest): void;
  /** The response can no longer arrive. */
  unanswered(request: PeerRequest): void;
  undelivered(request: PeerRequest, error: unknown): void;
}

/** Sends each message in its own POST. */
export class PostWire implements Wire {
  readonly #channel: PostChannel;
  readonly #listener: WireListener;

  constructor(channel: PostChannel, listener: WireListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  send(request: PeerRequest): void {
    const { id, method, headers, stream } = request;
    const onStreamEnd = () => this.#listener.unanswered(request);
    const onEventId = (eventId: string) => {
      request.lastEventId = eventId;
    };
    const message = { jsonrpc: '2.0' as const, id, method, params: request.paramsFor(id) };
    this.#listener.sent(request);
    this.#channel
      .post(message, { headers, signal: stream?.signal, onStreamEnd, onEventId })
      .catch((error: unknown) => this.#listener.undelivered(request, error));
    this.#listener.flushed();
  }

  async post(message: JsonRpcMessage): Promise<void> {
    await this.#channel.post(message, {});
  }

  withdraw(): void {}

  close(): void {}
}
