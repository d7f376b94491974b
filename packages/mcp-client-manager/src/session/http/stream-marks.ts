import { randomUUID } from 'node:crypto';
import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ChannelListeners } from '../../transport/message-channel.js';
import { withoutMark } from '../../transport/read-message.js';
import { writtenJson } from '../peer/depth-limit.js';
import { isHandledMethod } from '../server-requests/server-request.js';

const methodKey = Buffer.from('"method"');

type StreamListeners = Pick<ChannelListeners, 'onStreamEnd' | 'onResume'>;

/**
 * Associates server messages and streams with client requests. Over Streamable HTTP a message arrives on the stream of its request,
 * which the SDK does not report. The mark carries the request id through the SDK, in `_meta`, under a random key that
 * no server can guess.
 */
export class StreamMarks {
  readonly #key = `x/stream-${randomUUID()}`;
  #listeners: StreamListeners = {};

  listen(listeners: StreamListeners): void {
    this.#listeners = listeners;
  }

  /** The server has ended the response stream of a request. */
  ended(requestId: string | number): void {
    this.#listeners.onStreamEnd?.(requestId);
  }

  /** @returns Id of the request whose response stream is resumed after an event. */
  resumed(lastEventId: string): number | undefined {
    return this.#listeners.onResume?.(lastEventId);
  }

  /**
   * @param event - One complete server-sent event.
   * @param requestId - Id of the request whose response stream this is.
   * @returns The marked event, or `event` itself for other messages.
   */
  mark(event: Uint8Array, requestId: string | number): Uint8Array {
    const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
    if (!bytes.includes(methodKey)) return event;
    const { message, fields } = read(bytes.toString());
    if (!isMarked(message)) return event;
    const { params = {} } = message;
    if (!isRecord(params)) return event; // the SDK refuses it
    const { _meta: meta = {} } = params;
    if (!isRecord(meta)) return event;
    const marked = { ...message, params: { ...params, _meta: { ...meta, [this.#key]: requestId } } };
    const data = writtenJson(marked);
    if (data === undefined) return event; // the peer drops it
    return Buffer.from([...fields, `data: ${data}`, '', ''].join('\n'));
  }

  /** Removes the mark. `undefined`: the message was on another stream. */
  unmark({ params }: JsonRpcMessage): unknown {
    if (!isRecord(params) || !isRecord(params._meta)) return undefined;
    const meta = params._meta as Record<string, unknown>;
    const requestId = meta[this.#key];
    delete meta[this.#key];
    if (requestId !== undefined && Object.keys(meta).length === 0) delete (params as Record<string, unknown>)._meta;
    return requestId;
  }
}

function isMarked({ id, method }: Readonly<Record<string, unknown>>): boolean {
  return id === undefined ? method === 'notifications/message' : isHandledMethod(String(method));
}

function read(event: string): { message: Readonly<Record<string, unknown>>; fields: readonly string[] } {
  const lines = withoutMark(event)
    .split(/\r\n?|\n/)
    .filter((line) => line !== '');
  const fields = lines.filter((line) => !line.startsWith('data:'));
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length));
  try {
    const message: unknown = JSON.parse(data.join('\n'));
    return { message: isRecord(message) ? message : {}, fields };
  } catch {
    return { message: {}, fields }; // the SDK reports it
  }
}
