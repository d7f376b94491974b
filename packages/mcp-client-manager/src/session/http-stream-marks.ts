import { randomUUID } from 'node:crypto';
import type { JsonRpcMessage } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { withoutMark } from '../transport/read-message.js';
import { writtenJson } from './depth-limit.js';
import { isHostQuestion } from './host-question.js';

const methodKey = Buffer.from('"method"');

/**
 * Over Streamable HTTP a message of the server comes on the stream of the request that it is about, and the SDK does not say on which.
 * Requests for the host and log entries carry the id of that request through the SDK: in their `_meta`, under a key that no server knows.
 */
export class StreamMarks {
  readonly #key = `x/stream-${randomUUID()}`;

  /**
   * @param event - One whole server-sent event.
   * @param requestId - Of the request that the stream answers.
   * @returns The event with the mark, or `event` itself where the message needs none.
   */
  mark(event: Uint8Array, requestId: string | number): Uint8Array {
    const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
    if (!bytes.includes(methodKey)) return event;
    const { message, fields } = read(bytes.toString());
    if (!isMarked(message)) return event;
    const { params = {} } = message;
    if (!isRecord(params)) return event; // the SDK refuses it
    const { _meta: meta = {} } = params;
    if (!isRecord(meta)) return event; // likewise
    const marked = { ...message, params: { ...params, _meta: { ...meta, [this.#key]: requestId } } };
    const data = writtenJson(marked);
    if (data === undefined) return event; // the peer drops it
    return Buffer.from([...fields, `data: ${data}`, '', ''].join('\n'));
  }

  /** Takes the mark out of a message. `undefined`: the message came on no stream of a request. */
  take({ params }: JsonRpcMessage): unknown {
    if (!isRecord(params) || !isRecord(params._meta)) return undefined;
    const meta = params._meta as Record<string, unknown>;
    const requestId = meta[this.#key];
    delete meta[this.#key];
    if (requestId !== undefined && Object.keys(meta).length === 0) delete (params as Record<string, unknown>)._meta;
    return requestId;
  }
}

function isMarked({ id, method }: Readonly<Record<string, unknown>>): boolean {
  return id === undefined ? method === 'notifications/message' : isHostQuestion(String(method));
}

/** The message of an event, and the event's other fields. */
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
