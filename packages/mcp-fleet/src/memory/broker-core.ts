import type { BucketChange } from '../bus.js';
import type { KeyStore } from './key-store.js';

/** A message on its way. */
export interface Sent {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly replyTo: string | undefined;
}

/** What a broker knows of the buses that are connected to it. */
export interface BrokersBus {
  /** @returns Whether anybody listened there. */
  receive(sent: Sent): boolean;
  onBucketChange(change: BucketChange): void;
  /** The broker has started or stopped. */
  onLinkChange(): void;
}

/** What is needed of the broker by its buses. */
export interface BrokerCore {
  readonly isRunning: boolean;
  readonly maxPayloadBytes: number;
  readonly keys: KeyStore;
  readonly buses: Set<BrokersBus>;
  /** Runs it in a later microtask, after all that was to be done later before. */
  later(task: () => void): void;
}
