import type { BucketChange } from '../bus.js';
import type { KeyStore } from './key-store.js';

/** Message in transfer. */
export interface Sent {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly replyTo: string | undefined;
}

/** Bus as its broker sees it. */
export interface BrokersBus {
  /** @returns True if a subscription matched. */
  receive(sent: Sent): boolean;
  onBucketChange(change: BucketChange): void;
  /** The broker has started or stopped. */
  onLinkChange(): void;
}

/** Broker as its buses see it. */
export interface BrokerCore {
  readonly isRunning: boolean;
  readonly maxPayloadBytes: number;
  readonly keys: KeyStore;
  readonly buses: Set<BrokersBus>;
  /** Runs `task` in a later microtask, in order. */
  later(task: () => void): void;
}
