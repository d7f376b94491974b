import { callListener } from '@x/internal/events';
import type { BrokerCore, BrokersBus } from './broker-core.js';
import { KeyStore } from './key-store.js';
import { BrokerConnection, type MemoryBus, type MemoryConnectOptions } from './memory-bus.js';

/** What a broker in memory can be told. */
export interface MemoryBrokerOptions {
  /** Longest `data` of one message in bytes. Default 1 MiB, as of NATS. */
  readonly maxPayloadBytes?: number | undefined;
}

/** A bus for fleets whose nodes are all in this process. What is sent arrives in a later microtask. */
export interface MemoryBroker {
  readonly isRunning: boolean;
  /** A bus that is connected, or will be when the broker starts. */
  connect(options?: MemoryConnectOptions): MemoryBus;
  /** Cuts off every bus, as a broker that goes down. */
  stop(): void;
  /**
   * Brings every bus back that did not cut itself off.
   *
   * @param options.keys - Whether the bucket has what it had. A bucket that lost its keys counts revisions anew.
   */
  start(options?: { readonly keys?: 'kept' | 'lost' }): void;
}

let shared: MemoryBroker | undefined;

/** The broker that all fleets of this process share that were given no bus. */
export function defaultMemoryBroker(): MemoryBroker {
  shared ??= createMemoryBroker();
  return shared;
}

/** @throws {TypeError} `maxPayloadBytes` is no whole number above 0. */
export function createMemoryBroker({ maxPayloadBytes = 1024 * 1024 }: MemoryBrokerOptions = {}): MemoryBroker {
  if (!Number.isSafeInteger(maxPayloadBytes) || maxPayloadBytes < 1) {
    throw new TypeError(`maxPayloadBytes must be a whole number above 0, got ${maxPayloadBytes}`);
  }
  return new Broker(maxPayloadBytes);
}

class Broker implements MemoryBroker, BrokerCore {
  readonly maxPayloadBytes: number;
  readonly keys = new KeyStore();
  readonly buses = new Set<BrokersBus>();
  readonly #tasks: (() => void)[] = [];
  #isRunning = true;

  constructor(maxPayloadBytes: number) {
    this.maxPayloadBytes = maxPayloadBytes;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  connect(options: MemoryConnectOptions = {}): MemoryBus {
    return new BrokerConnection(this, options);
  }

  stop(): void {
    this.#isRunning = false;
    for (const bus of this.buses) bus.onLinkChange();
  }

  start({ keys = 'kept' }: { readonly keys?: 'kept' | 'lost' } = {}): void {
    if (this.#isRunning) return;
    if (keys === 'lost') this.keys.clear();
    this.#isRunning = true;
    for (const bus of this.buses) bus.onLinkChange();
  }

  // A microtask each, so that a long stream of messages lets the promises go on that its receivers wait for.
  later(task: () => void): void {
    this.#tasks.push(task);
    queueMicrotask(() => {
      const next = this.#tasks.shift();
      if (next !== undefined) callListener('A listener of the bus', next);
    });
  }
}
