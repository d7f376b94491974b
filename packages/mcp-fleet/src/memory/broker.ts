import { callListener } from '@x/internal/events';
import { bytes, optionTable } from '@x/internal/options';
import type { AttachedBus, BrokerCore } from './broker-core.js';
import { KeyStore } from './key-store.js';
import { BrokerConnection, type MemoryBus, type MemoryConnectOptions } from './memory-bus.js';

/** Options of a `MemoryBroker`. */
export interface MemoryBrokerOptions {
  /** Longest `data` of one message in bytes. Default 1 MiB, as NATS has. */
  readonly maxPayloadBytes?: number | undefined;
}

/** Bus for fleets whose nodes share one process. Messages arrive in a later microtask. */
export interface MemoryBroker {
  readonly isRunning: boolean;
  /** Opens a connection to the broker. */
  connect(options?: MemoryConnectOptions): MemoryBus;
  /** Disconnects every bus, like a broker that goes down. */
  stop(): void;
  /**
   * Reconnects every bus, except those that disconnected themselves.
   *
   * @param options.keys - `lost` empties the bucket and restarts its revisions.
   */
  start(options?: { readonly keys?: 'kept' | 'lost' | undefined }): void;
}

let shared: MemoryBroker | undefined;

/** Broker that fleets of this process share by default. */
export function defaultMemoryBroker(): MemoryBroker {
  shared ??= createMemoryBroker();
  return shared;
}

const brokerOptions = optionTable<MemoryBrokerOptions>()({ maxPayloadBytes: { ...bytes, default: 1024 * 1024 } });

/** @throws {TypeError} An option is misspelt or out of bounds; the message names it. */
export function createMemoryBroker(options?: MemoryBrokerOptions): MemoryBroker {
  return new Broker(brokerOptions.read(options).maxPayloadBytes);
}

class Broker implements MemoryBroker, BrokerCore {
  readonly maxPayloadBytes: number;
  readonly keys = new KeyStore();
  readonly buses = new Set<AttachedBus>();
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

  start({ keys = 'kept' }: { readonly keys?: 'kept' | 'lost' | undefined } = {}): void {
    if (this.#isRunning) return;
    if (keys === 'lost') this.keys.clear();
    this.#isRunning = true;
    for (const bus of this.buses) bus.onLinkChange();
  }

  // One microtask per task lets receivers' promises run between messages.
  later(task: () => void): void {
    this.#tasks.push(task);
    queueMicrotask(() => {
      const next = this.#tasks.shift();
      if (next !== undefined) callListener('A listener of the bus', next);
    });
  }
}
