import type { JsonRpcMessage } from '@x/internal/contracts';
import type { PostChannel } from '../../transport/message-channel.js';
import type { PeerRequest } from './peer-request.js';
import type { Wire, WireListener } from './wire.js';

export class PostWire implements Wire {
  readonly #channel: PostChannel;
  readonly #listener: WireListener;

  constructor(channel: PostChannel, listener: WireListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  send(request: PeerRequest): void {
    const { id, method, headers, stream } = request;
    const message = { jsonrpc: '2.0' as const, id, method, params: request.paramsFor(id) };
    this.#listener.sent(request);
    this.#channel
      .post(message, { headers, signal: stream?.signal, onStreamEnd: () => this.#listener.unanswered(request) })
      .catch((error: unknown) => this.#listener.undelivered(request, error));
    this.#listener.flushed();
  }

  async post(message: JsonRpcMessage): Promise<void> {
    await this.#channel.post(message, {});
  }

  withdraw(): void {}

  close(): void {}
}
