import type { BucketChange } from '../bus.js';
import type { KeyStore } from './key-store.js';

export interface SentMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly replyTo: string | undefined;
}

export interface AttachedBus {
  receive(sent: SentMessage): boolean;
  onBucketChange(change: BucketChange): void;
  onLinkChange(): void;
}

export interface BrokerCore {
  readonly isRunning: boolean;
  readonly maxPayloadBytes: number;
  readonly keys: KeyStore;
  readonly buses: Set<AttachedBus>;
  /** Runs `task` in a later microtask, in order. */
  later(task: () => void): void;
}
