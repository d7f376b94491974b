import { callListener, Listeners } from '@x/internal/events';
import type { BusPermissions } from '../bus/fleet-subjects.js';
import { checkSubject, checkSubjectPattern, containsPattern, matchesSubject } from '../bus/subject.js';
import type { BucketChange, BusEvent, BusMessage, FleetBus } from '../bus.js';
import { FleetError } from '../errors.js';
import type { AttachedBus, BrokerCore, SentMessage } from './broker-core.js';
import { MemoryBucket } from './memory-bucket.js';

interface Subscription {
  readonly pattern: string;
  readonly isAllowed: boolean;
  readonly listener: (message: BusMessage) => void;
}

/** Options of a connection to a `MemoryBroker`. */
export interface MemoryConnectOptions {
  readonly node?: string | undefined;
  /** Default: everything is allowed. */
  readonly permissions?: BusPermissions | undefined;
}

export interface MemoryBus extends FleetBus {
  /** Cuts this node off, like a network failure. Messages sent before still arrive. */
  disconnect(): void;
  /** Reverses `disconnect`. The bus is connected if the broker runs. */
  reconnect(): void;
}

export class BrokerConnection implements MemoryBus, AttachedBus {
  readonly maxPayloadBytes: number;
  readonly bucket: MemoryBucket;
  readonly #broker: BrokerCore;
  readonly #permissions: BusPermissions | undefined;
  readonly #name: string;
  readonly #listeners = new Listeners<BusEvent>('event');
  readonly #subscriptions = new Set<Subscription>();
  #isLinked = true;
  #isConnected: boolean;
  #isClosed = false;

  constructor(broker: BrokerCore, { node, permissions }: MemoryConnectOptions) {
    this.#broker = broker;
    this.#permissions = permissions;
    this.#name = node === undefined ? 'This bus' : `The bus of ${node}`;
    this.maxPayloadBytes = broker.maxPayloadBytes;
    this.#isConnected = broker.isRunning;
    this.bucket = new MemoryBucket(broker, {
      assertUsable: (what) => this.#assertUsable(what),
      assertFits: (data, what) => this.#assertFits(data, what),
      mayWrite: (key) => this.#mayWrite(key),
    });
    broker.buses.add(this);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get failure(): FleetError | undefined {
    if (this.#isClosed) return this.#closed();
    return this.#isConnected ? undefined : this.#down('anything');
  }

  onEvent(listener: (event: BusEvent) => void): Disposable {
    return this.#listeners.add(listener);
  }

  publish(subject: string, data: Uint8Array, { replyTo }: { readonly replyTo?: string | undefined } = {}): void {
    checkSubject(subject);
    if (replyTo !== undefined) checkSubject(replyTo, 'replyTo');
    this.#assertUsable(`a message on ${subject}`);
    this.#assertFits(data, `a message on ${subject}`);
    if (!this.#mayPublish(subject)) {
      this.#emitLater({ type: 'forbidden', operation: 'publish', subject });
      return;
    }
    const sent: SentMessage = { subject, data: new Uint8Array(data), replyTo };
    this.#broker.later(() => this.#deliver(sent));
  }

  subscribe(subject: string, listener: (message: BusMessage) => void): Disposable {
    checkSubjectPattern(subject);
    if (this.#isClosed) throw this.#closed();
    const isAllowed = this.#permissions?.subscribe.some((allowed) => containsPattern(allowed, subject)) ?? true;
    const subscription: Subscription = { pattern: subject, isAllowed, listener };
    this.#subscriptions.add(subscription);
    if (!isAllowed) this.#emitLater({ type: 'forbidden', operation: 'subscribe', subject });
    return { [Symbol.dispose]: () => void this.#subscriptions.delete(subscription) };
  }

  async flush({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#assertUsable('a flush');
    await new Promise<void>((resolve) => this.#broker.later(resolve));
    signal?.throwIfAborted();
    this.#assertUsable('a flush');
  }

  disconnect(): void {
    this.#isLinked = false;
    this.onLinkChange();
  }

  reconnect(): void {
    this.#isLinked = true;
    this.onLinkChange();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isConnected = false;
    this.#broker.buses.delete(this);
    this.#subscriptions.clear();
    this.bucket.close(this.#closed());
    this.#listeners.tell({ type: 'closed' });
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  onLinkChange(): void {
    const isConnected = !this.#isClosed && this.#isLinked && this.#broker.isRunning;
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (isConnected) {
      this.#emitLater({ type: 'connected' });
      for (const { isAllowed, pattern } of this.#subscriptions) {
        if (!isAllowed) this.#emitLater({ type: 'forbidden', operation: 'subscribe', subject: pattern });
      }
      this.bucket.onConnected();
    } else {
      this.bucket.onDisconnected(this.#down('a watch'));
      this.#emitLater({ type: 'disconnected' });
    }
  }

  onBucketChange(change: BucketChange): void {
    if (this.#isConnected) this.bucket.onChange(change);
  }

  receive({ subject, data, replyTo }: SentMessage): boolean {
    if (!this.#isConnected) return false;
    let isReceived = false;
    for (const subscription of Array.from(this.#subscriptions)) {
      if (!subscription.isAllowed || !matchesSubject(subscription.pattern, subject)) continue;
      isReceived = true;
      const message = { subject, data: new Uint8Array(data), replyTo, hasNoResponders: false };
      if (this.#subscriptions.has(subscription)) callListener('A subscriber', () => subscription.listener(message));
    }
    return isReceived;
  }

  #deliver(sent: SentMessage): void {
    if (!this.#broker.isRunning) return;
    let isReceived = false;
    for (const bus of Array.from(this.#broker.buses)) isReceived = bus.receive(sent) || isReceived;
    if (!isReceived && sent.replyTo !== undefined) this.#notifyNoResponders(sent.replyTo);
  }

  #notifyNoResponders(replyTo: string): void {
    if (!this.#isConnected) return;
    for (const { isAllowed, pattern, listener } of this.#subscriptions) {
      if (!isAllowed || !matchesSubject(pattern, replyTo)) continue;
      callListener('A subscriber', () => listener({ subject: replyTo, data: new Uint8Array(), hasNoResponders: true }));
      return;
    }
  }

  #mayPublish(subject: string): boolean {
    return this.#permissions?.publish.some((pattern) => matchesSubject(pattern, subject)) ?? true;
  }

  #mayWrite(key: string): boolean {
    const isAllowed = this.#permissions?.write.some((pattern) => matchesSubject(pattern, key)) ?? true;
    if (!isAllowed) this.#emitLater({ type: 'forbidden', operation: 'write', subject: key });
    return isAllowed;
  }

  #emitLater(event: BusEvent): void {
    this.#broker.later(() => this.#listeners.tell(event));
  }

  #assertUsable(what: string): void {
    if (this.#isClosed) throw this.#closed();
    if (!this.#isConnected) throw this.#down(what);
  }

  #assertFits(data: Uint8Array, what: string): void {
    if (data.byteLength <= this.maxPayloadBytes) return;
    const sizes = `has ${data.byteLength} bytes, and the bus takes ${this.maxPayloadBytes}`;
    throw new FleetError('message-too-large', `Could not send ${what}: it ${sizes}`);
  }

  #down(what: string): FleetError {
    return new FleetError('bus-down', `${this.#name} is disconnected and cannot send ${what}`);
  }

  #closed(): FleetError {
    return new FleetError('closed', `${this.#name} is closed`);
  }
}
