import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { inBackground } from '../../timers.js';
import type { CallerTurns } from '../caller-turns.js';
import { HttpResponse, jsonResponse, type ResponseHeaders } from '../http-messages.js';
import { PIECE_BYTES, sizeOf } from '../message-sizes.js';
import { droppedResult } from './event-stream.js';
import { encodeInTurns } from './json-pieces.js';
import type { Waiting } from './waiting-bytes.js';

export type ResponseForm = 'json' | 'stream' | 'either';

interface PostResponseOptions {
  readonly form: ResponseForm;
  /** `true`: the JSON form is a list. */
  readonly isBatch: boolean;
  readonly headers: ResponseHeaders;
  /** Time after which a quiet response becomes a stream, to which its client can reconnect. Default: never. */
  readonly streamAfterMs?: number;
  readonly openStream: () => HttpResponse;
  /** Ends the stream, to which the client returns. Default: it cannot return. */
  readonly pauseStream?: (() => void) | undefined;
  /** Also works while the client is disconnected. Rejects for a dropped message. */
  readonly write: (message: JSONRPCMessage) => Promise<void> | void;
  readonly waiting: Waiting;
  readonly turns: CallerTurns;
  /** Called after the last message. */
  readonly onOver: () => void;
}

/** The response to the requests of one body: JSON if only results are sent, else an event stream. */
export class PostResponse {
  readonly answer: Promise<HttpResponse>;
  readonly #options: PostResponseOptions;
  readonly #waiting: Set<RequestId>;
  readonly #results: JSONRPCMessage[] = [];
  #status = 200;
  /** Replaces a response that the client no longer expects. */
  #replacement: HttpResponse | undefined;
  readonly #held: number[] = [];
  #resolve!: (answer: HttpResponse | Promise<HttpResponse>) => void; // assigned at once by the promise
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStream = false;

  constructor(ids: readonly RequestId[], options: PostResponseOptions) {
    this.#options = options;
    this.#waiting = new Set(ids);
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (options.form === 'stream') this.becomeStream();
    if (options.form !== 'either' || options.streamAfterMs === undefined) return;
    this.#timer = inBackground(setTimeout(() => this.becomeStream(), options.streamAfterMs));
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** Sends a message before the results. Clients that accept only JSON do not get it. */
  send(message: JSONRPCMessage): Promise<void> | void {
    if (this.#options.form === 'json') return;
    this.becomeStream();
    return this.#options.write(message);
  }

  /** Sends the client away, to return for the rest. */
  pause(): void {
    const { form, pauseStream } = this.#options;
    if (form === 'json' || pauseStream === undefined) return;
    this.becomeStream();
    pauseStream();
  }

  /** @param status - Status of a JSON response. */
  settle(id: RequestId, message: JSONRPCMessage, status = 200): Promise<void> | void {
    if (!this.#waiting.delete(id)) return;
    this.#status = status;
    const written = this.#isStream ? this.#options.write(message) : void this.#results.push(this.#count(message));
    if (this.#waiting.size === 0) this.#finish();
    return written;
  }

  /** Ends a cancelled request, which gets no response. */
  drop(id: RequestId): void {
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#finish();
  }

  /** @param answer - Replaces a response that is not a stream yet. */
  end(answer?: HttpResponse): void {
    this.#waiting.clear();
    if (answer === undefined || this.#isStream) {
      this.#finish();
      return;
    }
    clearTimeout(this.#timer);
    this.#replacement = answer;
    this.#resolve(answer);
    this.#options.onOver();
  }

  /** Without room for a large message, returns an error instead. */
  #count(message: JSONRPCMessage): JSONRPCMessage {
    const bytes = sizeOf(message);
    if (bytes <= PIECE_BYTES) return message;
    if (!this.#options.waiting.tryAdd(bytes)) return droppedResult(message);
    this.#held.push(bytes);
    return message;
  }

  #finish(): void {
    clearTimeout(this.#timer);
    const { form, onOver } = this.#options;
    // The protocol's form of no response is an empty stream.
    if (this.#results.length === 0 && form !== 'json') this.becomeStream();
    if (!this.#isStream) this.#resolve(this.#asJson());
    onOver();
  }

  #asJson(): HttpResponse | Promise<HttpResponse> {
    const { headers, isBatch, turns, waiting } = this.#options;
    const [first] = this.#results;
    if (first === undefined) return new HttpResponse(202, null, headers);
    const message = isBatch ? [...this.#results] : first;
    if (this.#held.length === 0) return jsonResponse(message, { headers, status: this.#status });
    const isNeeded = () => this.#replacement === undefined;
    return encodeInTurns(message, turns, waiting.caller, isNeeded).then(
      (body) =>
        this.#replacement ?? new HttpResponse(this.#status, body, { 'content-type': 'application/json', ...headers }),
    );
  }

  /** Does nothing if the response is a stream already. */
  becomeStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    clearTimeout(this.#timer);
    const { openStream, waiting, write } = this.#options;
    this.#resolve(openStream());
    for (const bytes of this.#held.splice(0)) waiting.release(bytes);
    for (const message of this.#results.splice(0)) void write(message);
  }
}

/**
 * Caches the last header, which most clients send with each request.
 *
 * @returns `undefined`: the header allows neither JSON nor an event stream.
 */
export function formOf(accept: string | null): ResponseForm | undefined {
  if (accept !== lastForm.accept) lastForm = { accept, form: parseForm(accept) };
  return lastForm.form;
}

let lastForm: { readonly accept: string | null; readonly form: ResponseForm | undefined } = {
  accept: null,
  form: undefined,
};

function parseForm(accept: string | null): ResponseForm | undefined {
  const types = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((type) => type.split(';', 1)[0]?.trim() ?? '');
  const json = types.findIndex((type) => JSON_TYPES.has(type));
  const stream = types.findIndex((type) => STREAM_TYPES.has(type));
  if (stream < 0) return json < 0 ? undefined : 'json';
  if (json < 0) return 'stream';
  return stream < json ? 'stream' : 'either';
}

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
const STREAM_TYPES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*', '*/*']);
