import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { sizeOf } from '../message-sizes.js';
import type { Waiting } from '../responses/waiting-bytes.js';

interface EventBounds {
  readonly maxBytes: number;
  readonly maxEvents: number;
}

interface SessionEventsOptions extends Partial<EventBounds> {
  /** Counts stored events. When others need the memory, all are dropped. Default: only the bounds apply. */
  readonly waiting?: Waiting | undefined;
}

/** Enough for a client that was away for a moment, and small for a server with many sessions. */
const EVENT_BOUNDS: EventBounds = { maxBytes: 256 * 1024, maxEvents: 500 };
/** Awaited results of one session. One more drops the oldest. */
const MAX_AWAITED = 16;
/** The stream that belongs to no request. */
export const STANDALONE = '_GET_stream';

type StreamId = string;
type EventId = string;

interface StoredEvent {
  readonly stream: StreamId;
  readonly place: number;
  readonly message: JSONRPCMessage | undefined;
  readonly bytes: number;
}

interface EventsAfter {
  readonly stream: StreamId;
  readonly events: readonly { readonly id: EventId; readonly message: JSONRPCMessage }[];
}

/**
 * Stores events for a client that reconnects with `Last-Event-ID`. Evicts the oldest ones, and responses that the
 * client has received.
 */
export class SessionEvents {
  readonly #bounds: EventBounds;
  readonly #waiting: Waiting | undefined;
  /** By index, the oldest first. */
  readonly #events = new Map<number, StoredEvent>();
  /** Results of clients that were sent away to return, by index. */
  readonly #awaited = new Map<number, StoredEvent>();
  /** Streams whose clients were sent away to return, known without an event. The latest ones. */
  readonly #away = new Set<StreamId>();
  /** Index of each stream's last evicted event. */
  readonly #lost = new Map<StreamId, number>();
  #bytes = 0;
  #last = 0;

  constructor({ waiting, ...bounds }: SessionEventsOptions = {}) {
    this.#bounds = { ...EVENT_BOUNDS, ...bounds };
    this.#waiting = waiting?.onEviction(() => this.#forgetAll(), { isKept: true });
  }

  /**
   * @param message - Absent in an event that marks the start of a stream.
   * @param isAwaited - The client was sent away to return for it: only other awaited events, and the need of memory, evict it.
   */
  store(stream: StreamId, message?: JSONRPCMessage, { isAwaited = false } = {}): EventId {
    const event = { stream, place: ++this.#last, message, bytes: sizeOf(message) };
    const isTooLarge = event.bytes > this.#bounds.maxBytes && !isAwaited;
    if (isTooLarge || this.#waiting?.tryAdd(event.bytes) === false) {
      this.#lose(event);
    } else if (isAwaited) {
      this.#awaited.set(event.place, event);
    } else {
      this.#events.set(event.place, event);
      this.#bytes += event.bytes;
    }
    this.#makeRoom();
    return `${stream}:${event.place}`;
  }

  /** The client of the stream is sent away to return. */
  sendAway(stream: StreamId): void {
    this.#away.add(stream);
    for (const oldest of this.#away) {
      if (this.#away.size <= MAX_AWAITED) break;
      this.#away.delete(oldest);
    }
  }

  /** Returns the later events of the same stream. `undefined` if the event is unknown or a later one was evicted. */
  after(id: EventId): EventsAfter | undefined {
    const from = this.#find(id);
    if (from === undefined) return undefined;
    const later = this.#all().flatMap(({ stream, place, message }) =>
      stream === from.stream && place > from.place && message !== undefined
        ? [{ id: `${stream}:${place}`, message }]
        : [],
    );
    return { stream: from.stream, events: later };
  }

  /** Removes responses that the client has received. */
  forgetAnswers(ids: readonly unknown[]): void {
    const answered = new Set<StreamId>();
    for (const { stream, message } of this.#all()) {
      if (message !== undefined && 'id' in message && !('method' in message) && ids.includes(message.id))
        answered.add(stream);
    }
    for (const event of this.#all()) if (answered.has(event.stream)) this.#delete(event);
    for (const stream of answered) {
      this.#lost.delete(stream);
      this.#away.delete(stream);
    }
  }

  clear(): void {
    this.#events.clear();
    this.#awaited.clear();
    this.#lost.clear();
    this.#away.clear();
    this.#bytes = 0;
    this.#waiting?.clear();
  }

  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#events.size, bytes: this.#bytes };
  }

  #makeRoom(): void {
    for (const event of this.#events.values()) {
      if (this.#bytes <= this.#bounds.maxBytes && this.#events.size <= this.#bounds.maxEvents) break;
      this.#evict(event);
    }
    for (const event of this.#awaited.values()) {
      if (this.#awaited.size <= MAX_AWAITED) break;
      this.#evict(event);
    }
  }

  #evict(event: StoredEvent): void {
    this.#delete(event);
    this.#lose(event);
  }

  /** Drops all events. The caller has cleared the count. */
  #forgetAll(): void {
    for (const event of this.#all()) this.#lose(event);
    this.#events.clear();
    this.#awaited.clear();
    this.#bytes = 0;
  }

  #lose({ stream, place }: StoredEvent): void {
    this.#lost.delete(stream);
    this.#lost.set(stream, place);
    for (const oldest of this.#lost.keys()) {
      if (this.#lost.size <= this.#bounds.maxEvents) return;
      this.#lost.delete(oldest);
    }
  }

  #delete({ place, bytes }: StoredEvent): void {
    if (this.#events.delete(place)) this.#bytes -= bytes;
    else this.#awaited.delete(place);
    this.#waiting?.release(bytes);
  }

  /** The result comes last in its stream. */
  #all(): readonly StoredEvent[] {
    return [...this.#events.values(), ...this.#awaited.values()];
  }

  /**
   * A stream with a gap cannot be resumed: its client would wait for a lost response. Notifications outside of requests
   * are useful one by one.
   */
  #find(id: EventId): { readonly stream: StreamId; readonly place: number } | undefined {
    const [, stream, digits] = /^(.{1,100}):(\d{1,15})$/.exec(id) ?? [];
    const place = Number(digits);
    if (stream === undefined || place > this.#last) return undefined;
    if (stream === STANDALONE) return { stream, place };
    const isKnown = this.#away.has(stream) || this.#all().some((event) => event.stream === stream);
    const hasLost = (this.#lost.get(stream) ?? 0) > place;
    return isKnown && !hasLost ? { stream, place } : undefined;
  }
}
