import { setMaxListeners } from 'node:events';
import type { NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { pause, withResolvers } from '@x/internal/async';
import { FleetError } from '../errors.js';
import type { Connected } from './bounded.js';
import { connectOnce } from './connect-once.js';
import type { NatsSettings } from './options.js';

interface LinkEvents {
  /** A connection is open. It counts once the promise resolves; a rejection starts the next attempt. */
  prepare(connected: Connected): Promise<void>;
  up(connected: Connected): void;
  down(): void;
  failed(error: unknown): void;
  forbidden(error: PermissionViolationError): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;

/**
 * Reconnecting link. Opens a new connection of the client each time, so that nothing is buffered and errors exclude no
 * server.
 */
export class Link {
  readonly #settings: NatsSettings;
  readonly #events: LinkEvents;
  readonly #closing = new AbortController();
  readonly #firstOutcome = withResolvers();
  #connected: Connected | undefined;
  #failure: unknown;
  #running: Promise<void> | undefined;

  constructor(settings: NatsSettings, events: LinkEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#firstOutcome.promise.catch(() => undefined); // avoids an unhandled rejection before `open`
  }

  get connected(): Connected | undefined {
    return this.#connected;
  }

  get failure(): unknown {
    return this.#failure;
  }

  open(): Promise<void> {
    this.#running ??= this.#run();
    return this.#firstOutcome.promise;
  }

  async close(): Promise<void> {
    this.#closing.abort(new FleetError('closed', 'The bus is closed'));
    this.#connected = undefined;
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { nats } = await this.#connect(signal);
        failures = 0;
        this.#failure = undefined;
        this.#firstOutcome.resolve();
        this.#failure = (await nats.closed()) ?? this.#failure;
        this.#connected = undefined;
        if (!signal.aborted) this.#events.down();
      } catch (error) {
        this.#failure = error;
        this.#firstOutcome.reject(error);
        if (!signal.aborted) this.#events.failed(error);
        failures += 1;
      }
      await pause(delayMs(failures), signal).catch(() => undefined);
    }
    this.#firstOutcome.reject(signal.reason);
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    const nats = await connectOnce(this.#settings, signal);
    const connected = { nats, lost: lostSignal(nats) };
    void this.#follow(nats);
    const end = () => void nats.close();
    signal.addEventListener('abort', end, { once: true });
    connected.lost.addEventListener('abort', () => signal.removeEventListener('abort', end), { once: true });
    try {
      await this.#events.prepare(connected);
      signal.throwIfAborted();
      connected.lost.throwIfAborted();
    } catch (error) {
      await nats.close();
      throw error;
    }
    this.#connected = connected;
    this.#events.up(connected);
    return connected;
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      // `close` waits for the socket to drain, which a lost server never does.
      if (status.type === 'staleConnection') void connection.close();
      if (status.type !== 'error') continue;
      if (status.error.name !== 'PermissionViolationError') this.#failure = status.error;
      else this.#events.forbidden(status.error as PermissionViolationError);
    }
  }
}

/** A signal, because the client's `closed` promise retains every waiter. */
function lostSignal(nats: NatsConnection): AbortSignal {
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  void nats.closed().then((cause) => {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    lost.abort(new FleetError('bus-down', `The connection to the NATS server was lost${reason}`, { cause }));
  });
  return lost.signal;
}

/** Random delay, so that nodes do not reconnect all at once. */
function delayMs(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.2 + 0.8 * Math.random());
}
