import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';
import { sizeOf } from './message-size.js';

export interface EventBounds {
  readonly maxBytes: number;
  readonly maxEvents: number;
}

/** What one session keeps: enough for a client that was away for a moment, and little for a server with many of them. */
export const EVENT_BOUNDS: EventBounds = { maxBytes: 256 * 1024, maxEvents: 500 };
/** What the protocol library calls the stream that belongs to no request. */
const STANDALONE = '_GET_stream';

interface StoredEvent {
  readonly stream: StreamId;
  readonly place: number;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/**
 * What a session's client was sent on its streams, for one that lost a connection and asks for what came after the last
 * event that it has. The oldest make room; an answer that its client has taken is not kept.
 */
export class SessionEvents implements EventStore {
  readonly #bounds: EventBounds;
  /** By place, the oldest first. */
  readonly #events = new Map<number, StoredEvent>();
  /** The place of the last event of a stream that had to make room. */
  readonly #lost = new Map<StreamId, number>();
  #bytes = 0;
  #last = 0;

  constructor(bounds: EventBounds = EVENT_BOUNDS) {
    this.#bounds = bounds;
  }

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const event = { stream, place: ++this.#last, message, bytes: sizeOf(message) };
    this.#events.set(event.place, event);
    this.#bytes += event.bytes;
    this.#makeRoom();
    return `${stream}:${event.place}`;
  }

  async getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return this.#find(id)?.stream;
  }

  async replayEventsAfter(
    id: EventId,
    { send }: { send: (eventId: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const from = this.#find(id);
    if (from === undefined) throw new RangeError('There is no such event, or not any more');
    for (const { stream, place, message } of Array.from(this.#events.values())) {
      // An event without a message only says where a stream begins.
      if (stream !== from.stream || place <= from.place || Object.keys(message).length === 0) continue;
      await send(`${stream}:${place}`, message);
    }
    return from.stream;
  }

  /** To be called when the answers to these requests have been taken: nobody asks for them any more. */
  forgetAnswers(ids: readonly unknown[]): void {
    const answered = new Set<StreamId>();
    for (const { stream, message } of this.#events.values()) {
      if ('id' in message && !('method' in message) && ids.includes(message.id)) answered.add(stream);
    }
    for (const event of this.#events.values()) if (answered.has(event.stream)) this.#delete(event);
    for (const stream of answered) this.#lost.delete(stream);
  }

  clear(): void {
    this.#events.clear();
    this.#lost.clear();
    this.#bytes = 0;
  }

  /** How much is kept. */
  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#events.size, bytes: this.#bytes };
  }

  #makeRoom(): void {
    for (const event of this.#events.values()) {
      if (this.#bytes <= this.#bounds.maxBytes && this.#events.size <= this.#bounds.maxEvents) return;
      this.#delete(event);
      this.#lost.delete(event.stream);
      this.#lost.set(event.stream, event.place);
    }
    for (const stream of this.#lost.keys()) {
      if (this.#lost.size <= this.#bounds.maxEvents) return;
      this.#lost.delete(stream);
    }
  }

  #delete({ place, bytes }: StoredEvent): void {
    this.#events.delete(place);
    this.#bytes -= bytes;
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
