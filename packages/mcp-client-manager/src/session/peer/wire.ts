import type { JsonRpcMessage } from '@x/internal/contracts';
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
