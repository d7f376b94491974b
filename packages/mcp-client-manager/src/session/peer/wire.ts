import type { JsonRpcMessage } from '@x/internal/contracts';
import type { PeerRequest } from './peer-request.js';

/** Writes a peer's messages, in order. */
export interface Wire {
  /** @throws {TypeError} The params cannot be written as JSON. */
  send(request: PeerRequest): void;
  /** Sends a response or notification. Resolves when it is written or dropped. Rejects with `ChannelClosedError`. */
  post(message: JsonRpcMessage): Promise<void>;
  /** Removes a request that is not written yet. */
  withdraw(request: PeerRequest): void;
  /** Stops. Writes queued responses and notifications first, unless the pipe is full. */
  close(): void;
}

/** Receives a wire's events. */
export interface WireListener {
  /** `true` while the server has requests in progress. */
  readonly isBusy: boolean;
  /** The wire is about to write the request. */
  sent(request: PeerRequest): void;
  /** A write has ended. */
  flushed(): void;
  /** The connection closed before the server got the request. */
  unsent(request: PeerRequest): void;
  /** The response can no longer arrive. */
  unanswered(request: PeerRequest): void;
  /** The transport failed to deliver the request. */
  undelivered(request: PeerRequest, error: unknown): void;
}
