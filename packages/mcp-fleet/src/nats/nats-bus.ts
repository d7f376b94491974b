import { setMaxListeners } from 'node:events';
import type { Msg, NatsConnection, PermissionViolationError, Subscription } from '@nats-io/transport-node';
import { messageOf } from '@x/internal/errors';
import { callListener, Listeners } from '@x/internal/events';
import { checkSubject, checkSubjectPattern, matchesSubject } from '../bus/subject.js';
import type { BusEvent, BusMessage, FleetBus } from '../bus.js';
import { FleetError } from '../errors.js';
import { bounded, type Connected } from './bounded.js';
import { toFleetError } from './failure.js';
import { Link } from './link.js';
import { NatsBucket } from './nats-bucket.js';
import { type NatsBusOptions, type NatsSettings, resolveNatsOptions } from './options.js';
import { plainBytes } from './plain-bytes.js';

/**
 * Connects to a fleet's bus on NATS and creates its bucket if missing. Reconnects until `close`, reading credentials
 * anew.
 *
 * @throws {TypeError} An option is invalid.
 * @throws {FleetError} `bus-down` (no server is reachable; unless `mustConnect` is `false`), `forbidden` (credentials
 *   or permissions), `unsuitable-bus` (no JetStream); or the signal's reason.
 */
export async function openNatsBus(options: NatsBusOptions): Promise<FleetBus> {
  const settings = resolveNatsOptions(options);
  const { signal } = options;
  signal?.throwIfAborted();
  const bus = new NatsBus(settings);
  const onAbort = () => void bus.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await bus.open();
    signal?.throwIfAborted();
    return bus;
  } catch (error) {
    const mayWait = !settings.mustConnect && !signal?.aborted;
    if (mayWait) return bus;
    await bus.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

const USUAL_MAX_PAYLOAD_BYTES = 1024 * 1024;
const NO_RESPONDERS = 503;
const LONGEST_CLOSE_MS = 1000;
const CONNECT = 'connect to the NATS server';

interface Listening {
  readonly pattern: string;
  readonly listener: (message: BusMessage) => void;
  subscription: Subscription | undefined;
}

class NatsBus implements FleetBus {
  readonly bucket: NatsBucket;
  readonly #settings: NatsSettings;
  readonly #link: Link;
  readonly #listeners = new Listeners<BusEvent>('event');
  readonly #listenings = new Set<Listening>();
  readonly #lifetime = new AbortController();
  /** Handlers of messages that arrive before the connection counts, when replies are not possible. */
  readonly #early: (() => void)[] = [];
  #maxPayloadBytes = USUAL_MAX_PAYLOAD_BYTES;
  #closing: Promise<void> | undefined;

  constructor(settings: NatsSettings) {
    this.#settings = settings;
    this.#link = new Link(settings, {
      prepare: (connected) => this.#prepare(connected),
      up: (connected) => this.#onUp(connected),
      down: () => this.#onDown(),
      failed: (error) => this.#onFailed(error),
      forbidden: (error) => this.#onForbidden(error),
    });
    this.bucket = new NatsBucket(settings, (what) => this.#connectedFor(what), this.#lifetime.signal);
    setMaxListeners(0, this.#lifetime.signal);
  }

  get isConnected(): boolean {
    return !this.#lifetime.signal.aborted && this.#link.connected !== undefined;
  }

  get failure(): FleetError | undefined {
    const { signal } = this.#lifetime;
    if (signal.aborted) return toFleetError(signal.reason, CONNECT);
    if (this.#link.connected !== undefined) return undefined;
    const { failure } = this.#link;
    return failure === undefined ? noConnection(CONNECT) : toFleetError(failure, CONNECT);
  }

  get maxPayloadBytes(): number {
    return this.#maxPayloadBytes;
  }

  open(): Promise<void> {
    return this.#link.open();
  }

  onEvent(listener: (event: BusEvent) => void): Disposable {
    return this.#listeners.add(listener);
  }

  publish(subject: string, data: Uint8Array, { replyTo }: { readonly replyTo?: string | undefined } = {}): void {
    checkSubject(subject);
    if (replyTo !== undefined) checkSubject(replyTo, 'replyTo');
    const { nats } = this.#connectedFor(`send a message on ${subject}`);
    if (data.byteLength > this.maxPayloadBytes) {
      const sizes = `it has ${data.byteLength} bytes, and the NATS server takes ${this.maxPayloadBytes}`;
      throw new FleetError('message-too-large', `Could not send a message on ${subject}: ${sizes}`);
    }
    const { prefix } = this.#settings.names;
    try {
      // The client sends later, from the same memory.
      const reply = replyTo === undefined ? undefined : { reply: prefix + replyTo };
      nats.publish(prefix + subject, new Uint8Array(data), reply);
    } catch (error) {
      throw toFleetError(error, `send a message on ${subject}`);
    }
  }

  subscribe(subject: string, listener: (message: BusMessage) => void): Disposable {
    checkSubjectPattern(subject);
    this.#lifetime.signal.throwIfAborted();
    const listening: Listening = { pattern: subject, listener, subscription: undefined };
    this.#listenings.add(listening);
    const nats = this.#link.connected?.nats;
    if (nats !== undefined && !nats.isClosed()) this.#listen(nats, listening);
    return {
      [Symbol.dispose]: () => {
        if (this.#listenings.delete(listening)) listening.subscription?.unsubscribe();
      },
    };
  }

  async flush({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    signal?.throwIfAborted();
    const what = 'send what was published';
    const connected = this.#connectedFor(what);
    await bounded(connected, () => connected.nats.flush(), {
      what,
      timeoutMs: this.#settings.requestTimeoutMs,
      signals: [signal, this.#lifetime.signal],
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#lifetime.abort(new FleetError('closed', 'The bus is closed'));
    this.bucket.close();
    await this.#leave();
    await this.#link.close();
    this.#listeners.tell({ type: 'closed' });
    this.#listeners.clear();
  }

  // Unsubscribes, so that requests to this closed node fail at once.
  async #leave(): Promise<void> {
    const listenings = Array.from(this.#listenings);
    this.#listenings.clear();
    const { connected } = this.#link;
    if (connected === undefined || connected.nats.isClosed()) return;
    for (const { subscription } of listenings) subscription?.unsubscribe();
    const timeoutMs = Math.min(LONGEST_CLOSE_MS, this.#settings.requestTimeoutMs);
    await bounded(connected, () => connected.nats.flush(), { what: 'leave', timeoutMs, signals: [] }).catch(
      () => undefined,
    );
  }

  async #prepare(connected: Connected): Promise<void> {
    const { nats } = connected;
    this.#maxPayloadBytes = nats.info?.max_payload ?? USUAL_MAX_PAYLOAD_BYTES;
    await this.bucket.prepare(connected);
    for (const listening of this.#listenings) this.#listen(nats, listening);
    const bounds = { timeoutMs: this.#settings.requestTimeoutMs, signals: [this.#lifetime.signal] };
    await bounded(connected, () => nats.flush(), { what: 'listen', ...bounds });
  }

  #onUp({ nats }: Connected): void {
    for (const listening of this.#listenings) {
      if (listening.subscription === undefined) this.#listen(nats, listening);
    }
    this.#listeners.tell({ type: 'connected' });
    for (const receive of this.#early.splice(0)) receive();
    this.bucket.onConnected();
  }

  #onFailed(error: unknown): void {
    this.#early.length = 0;
    this.#listeners.tell({ type: 'failed', error: toFleetError(error, CONNECT) });
  }

  #onDown(): void {
    for (const listening of this.#listenings) listening.subscription = undefined;
    this.bucket.onDisconnected();
    this.#listeners.tell({ type: 'disconnected' });
  }

  #onForbidden({ operation, subject }: PermissionViolationError): void {
    const { prefix, writePrefix } = this.#settings.names;
    if (subject.startsWith(writePrefix)) {
      this.#listeners.tell({ type: 'forbidden', operation: 'write', subject: subject.slice(writePrefix.length) });
      return;
    }
    const kind = operation === 'publish' ? 'publish' : 'subscribe';
    // Foreign subjects belong to the driver: inboxes, or JetStream, without which the bus does not work.
    const shown = subject.startsWith(prefix) ? subject.slice(prefix.length) : subject;
    this.#listeners.tell({ type: 'forbidden', operation: kind, subject: shown });
  }

  #listen(nats: NatsConnection, listening: Listening): void {
    listening.subscription = nats.subscribe(this.#settings.names.prefix + listening.pattern, {
      callback: (error, message) => {
        if (error !== null) return;
        if (this.#link.connected?.nats === nats) this.#receive(listening, message);
        else this.#early.push(() => this.#receive(listening, message));
      },
    });
  }

  #receive(listening: Listening, message: Msg): void {
    if (!this.#listenings.has(listening)) return;
    const { prefix } = this.#settings.names;
    const isStatus = message.headers !== undefined;
    // A node can make the server publish its bytes on any subject, as a delivery of one of its keys. Such a message has
    // headers or another subject.
    if (isStatus && (message.headers?.code !== NO_RESPONDERS || message.data.length > 0)) return;
    const subject = message.subject.startsWith(prefix) ? message.subject.slice(prefix.length) : undefined;
    if (subject === undefined || !matchesSubject(listening.pattern, subject)) return;
    const replyTo = message.reply?.startsWith(prefix) ? message.reply.slice(prefix.length) : undefined;
    callListener('A subscriber', () =>
      listening.listener({ subject, data: plainBytes(message.data), replyTo, hasNoResponders: isStatus }),
    );
  }

  #connectedFor(what: string): Connected {
    this.#lifetime.signal.throwIfAborted();
    const { connected, failure } = this.#link;
    if (connected !== undefined && !connected.nats.isClosed()) return connected;
    if (failure === undefined) throw noConnection(what);
    throw new FleetError('bus-down', `Could not ${what}: ${messageOf(failure)}`, { cause: failure });
  }
}

function noConnection(what: string): FleetError {
  return new FleetError('bus-down', `Could not ${what}: there is no connection to the NATS server`);
}
