import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

/** Events of one session, for a client that reconnects to a stream. */
export class MemoryEventStore implements EventStore {
  readonly #events: { readonly streamId: StreamId; readonly message: JSONRPCMessage }[] = [];

  async storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    return String(this.#events.push({ streamId, message }) - 1);
  }

  async getStreamIdForEventId(eventId: EventId): Promise<StreamId | undefined> {
    return this.#events[Number(eventId)]?.streamId;
  }

  async replayEventsAfter(
    lastEventId: EventId,
    { send }: { send: (eventId: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const last = Number(lastEventId);
    const streamId = this.#events[last]?.streamId;
    if (streamId === undefined) throw new RangeError(`There is no event ${lastEventId} in this session`);
    for (const [index, event] of this.#events.entries()) {
      const isPriming = Object.keys(event.message).length === 0;
      if (index > last && event.streamId === streamId && !isPriming) await send(String(index), event.message);
    }
    return streamId;
  }
}
