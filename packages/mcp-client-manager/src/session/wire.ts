import type { JsonRpcMessage } from '@x/internal/contracts';
import type { PeerRequest } from './peer-request.js';

/** How a peer writes. A wire keeps the order in which messages were given to it. */
export interface Wire {
  /** @throws {TypeError} The params cannot be written as JSON. */
  send(request: PeerRequest): void;
  /** Resolves when the message is handed over or dropped. Rejects with `ChannelClosedError`. */
  note(message: JsonRpcMessage): Promise<void>;
  /** The request is cancelled before it was written. */
  withdraw(request: PeerRequest): void;
  /** Writes nothing more. Notes that need not wait are written first. */
  close(): void;
}

/** What a wire tells its peer. */
export interface WireListener {
  /** Whether the server has requests to work on. */
  readonly isBusy: boolean;
  /** The request is about to be written. */
  sent(request: PeerRequest): void;
  /** Requests were written. */
  flushed(): void;
  /** The connection is gone, and the server does not have the request. */
  unsent(request: PeerRequest): void;
  /** The answer can no longer come. */
  unanswered(request: PeerRequest): void;
  /** The transport could not deliver the request. */
  undelivered(request: PeerRequest, error: unknown): void;
}
