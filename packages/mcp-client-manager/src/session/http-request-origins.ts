import { isRecord } from '@x/internal/json';
import type { RequestOriginId } from '../transport/message-channel.js';
import { isHostQuestion } from './host-question.js';

/** Requests of a server that are remembered at a time, until they are read by whoever answers them. */
const maxRemembered = 1_000;
const methodKey = Buffer.from('"method"');

interface Remembered extends RequestOriginId {
  readonly times: number;
}

/**
 * Which of our requests a server's own request is about: over Streamable HTTP it comes on the stream of that, and the SDK
 * does not tell on which. So the streams are looked at on their way to it.
 */
export class RequestOrigins {
  readonly #remembered = new Map<unknown, Remembered>();

  /** @param event - One whole server-sent event. @param requestId - Of the request that the stream answers. */
  note(event: Uint8Array, requestId: string | number): void {
    const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
    if (!bytes.includes(methodKey)) return; // no request
    const { id, method } = messageIn(bytes.toString());
    if (id === undefined || !isHostQuestion(String(method))) return;
    const known = this.#remembered.get(id);
    this.#remembered.set(id, { id: known ? undefined : requestId, times: (known?.times ?? 0) + 1 });
    if (this.#remembered.size <= maxRemembered) return;
    const [oldest] = this.#remembered.keys();
    this.#remembered.delete(oldest);
  }

  /** To be asked once for each request that is read. `undefined`: it came on no stream of a request. */
  take(id: unknown): RequestOriginId | undefined {
    const known = this.#remembered.get(id);
    if (!known) return undefined;
    if (known.times > 1) this.#remembered.set(id, { id: undefined, times: known.times - 1 });
    else this.#remembered.delete(id);
    return known;
  }
}

function messageIn(event: string): Readonly<Record<string, unknown>> {
  const lines = event.split(/\r\n?|\n/).filter((line) => line.startsWith('data:'));
  try {
    const message: unknown = JSON.parse(lines.map((line) => line.slice('data:'.length)).join('\n'));
    return isRecord(message) ? message : {};
  } catch {
    return {}; // whoever reads the event says so
  }
}
