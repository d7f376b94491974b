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
  /** Index of each stream's last evicted event. */
  readonly #lost = new Map<StreamId, number>();
  #bytes = 0;
  #last = 0;

  constructor({ waiting, ...bounds }: SessionEventsOptions = {}) {
    this.#bounds = { ...EVENT_BOUNDS, ...bounds };
    this.#waiting = waiting?.onEviction(() => this.#forgetAll(), { isKept: true });
  }

  /** @param message - Absent in an event that marks the start of a stream. */
  store(stream: StreamId, message?: JSONRPCMessage): EventId {
    const event = { stream, place: ++this.#last, message, bytes: sizeOf(message) };
    if (event.bytes > this.#bounds.maxBytes || this.#waiting?.tryAdd(event.bytes) === false) {
      this.#lose(event);
      return `${stream}:${event.place}`;
    }
    this.#events.set(event.place, event);
    this.#bytes += event.bytes;
    this.#makeRoom();
    return `${stream}:${event.place}`;
  }

  /** Returns the later events of the same stream. `undefined` if the event is unknown or a later one was evicted. */
  after(id: EventId): EventsAfter | undefined {
    const from = this.#find(id);
    if (from === undefined) return undefined;
    const later = Array.from(this.#events.values()).flatMap(({ stream, place, message }) =>
      stream === from.stream && place > from.place && message !== undefined
        ? [{ id: `${stream}:${place}`, message }]
        : [],
    );
    return { stream: from.stream, events: later };
  }

  /** Removes responses that the client has received. */
  forgetAnswers(ids: readonly unknown[]): void {
    const answered = new Set<StreamId>();
    for (const { stream, message } of this.#events.values()) {
      if (message !== undefined && 'id' in message && !('method' in message) && ids.includes(message.id))
        answered.add(stream);
    }
    for (const event of this.#events.values()) if (answered.has(event.stream)) this.#delete(event);
    for (const stream of answered) this.#lost.delete(stream);
  }

  clear(): void {
    this.#events.clear();
    this.#lost.clear();
    this.#bytes = 0;
    this.#waiting?.clear();
  }

  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#events.size, bytes: this.#bytes };
  }

  #makeRoom(): void {
    for (const event of this.#events.values()) {
      if (this.#bytes <= this.#bounds.maxBytes && this.#events.size <= this.#bounds.maxEvents) return;
      this.#delete(event);
      this.#lose(event);
    }
  }

  /** Drops all events. The caller has cleared the count. */
  #forgetAll(): void {
    for (const event of this.#events.values()) this.#lose(event);
    this.#events.clear();
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
    this.#events.delete(place);
    this.#bytes -= bytes;
    this.#waiting?.release(bytes);
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
    const isKnown = Array.from(this.#events.values()).some((event) => event.stream === stream);
    const hasLost = (this.#lost.get(stream) ?? 0) > place;
    return isKnown && !hasLost ? { stream, place } : undefined;
  }
}
