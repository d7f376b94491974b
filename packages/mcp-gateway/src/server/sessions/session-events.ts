import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { sizeOf } from '../answers/message-size.js';
import type { Waiting } from '../answers/waiting-bytes.js';

export interface EventBounds {
  readonly maxBytes: number;
  readonly maxEvents: number;
}

export interface SessionEventsOptions extends Partial<EventBounds> {
  /** Counts what is kept. When others need the room, all of it is forgotten. Default: only the bounds hold. */
  readonly waiting?: Waiting | undefined;
}

/** What one session keeps: enough for a client that was away for a moment, and little for a server with many of them. */
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

export interface EventsAfter {
  readonly stream: StreamId;
  readonly events: readonly { readonly id: EventId; readonly message: JSONRPCMessage }[];
}

/**
 * What a session's client was sent on its streams, for one that lost a connection and asks for what came after the last
 * event that it has. The oldest make room; an answer that its client has taken is not kept.
 */
export class SessionEvents {
  readonly #bounds: EventBounds;
  readonly #waiting: Waiting | undefined;
  /** By place, the oldest first. */
  readonly #events = new Map<number, StoredEvent>();
  /** The place of the last event of a stream that had to make room. */
  readonly #lost = new Map<StreamId, number>();
  #bytes = 0;
  #last = 0;

  constructor({ waiting, ...bounds }: SessionEventsOptions = {}) {
    this.#bounds = { ...EVENT_BOUNDS, ...bounds };
    this.#waiting = waiting?.evictWith(() => this.#forgetAll(), { isKept: true });
  }

  /** @param message - Left out for an event that only says where a stream begins. */
  store(stream: StreamId, message?: JSONRPCMessage): EventId {
    const event = { stream, place: ++this.#last, message, bytes: sizeOf(message) };
    if (event.bytes > this.#bounds.maxBytes || this.#waiting?.hold(event.bytes) === false) {
      this.#lose(event);
      return `${stream}:${event.place}`;
    }
    this.#events.set(event.place, event);
    this.#bytes += event.bytes;
    this.#makeRoom();
    return `${stream}:${event.place}`;
  }

  /** What came after an event on its stream; `undefined` if there is no such event, or a part of what came is gone. */
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

  /** To be called when the answers to these requests have been taken: nobody asks for them any more. */
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

  /** How much is kept. */
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

  /** Others need the room; the count is cleared already. */
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
   * A stream that has lost what came after the event cannot be resumed: its client would wait for an answer that is gone.
   * Notices of no request are different, since those that are left are as good without the others.
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
