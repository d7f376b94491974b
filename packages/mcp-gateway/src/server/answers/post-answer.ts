import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { inBackground } from '../../timers.js';
import type { CallerTurns } from '../caller-turns.js';
import { type AnswerHeaders, answerJson, HttpAnswer } from '../http-answers.js';
import { PIECE_BYTES } from '../queue-bounds.js';
import { encodeInTurns } from './json-pieces.js';
import { sizeOf } from './message-size.js';
import { droppedResult } from './paced-messages.js';
import type { Waiting } from './waiting-bytes.js';

/** Accepted forms: one JSON value, an event stream, or either. */
export type AnswerForm = 'json' | 'stream' | 'either';

export interface PostAnswerOptions {
  readonly form: AnswerForm;
  readonly headers: AnswerHeaders;
  /**
   * A quiet response becomes a stream after this time, in milliseconds, so that its client can lose it and reconnect.
   * Default: clients cannot reconnect.
   */
  readonly streamAfterMs?: number;
  /** Turns the response into a stream. */
  readonly openStream: () => HttpAnswer;
  /** Writes to the stream, even while its client is disconnected. Rejects if the message is dropped. */
  readonly write: (message: JSONRPCMessage) => Promise<void> | void;
  /** Counts large results until they are part of a stream or of the JSON response. */
  readonly waiting: Waiting;
  readonly turns: CallerTurns;
  /** No further messages. */
  readonly onOver: () => void;
}

/**
 * The response to the requests of one body: JSON as long as only results are sent, an event stream from the first
 * other message on.
 */
export class PostAnswer {
  readonly answer: Promise<HttpAnswer>;
  readonly #options: PostAnswerOptions;
  readonly #waiting: Set<RequestId>;
  readonly #results: JSONRPCMessage[] = [];
  /** Of a JSON response. */
  #status = 200;
  /** In place of the response, which the client no longer expects. */
  #givenUp: HttpAnswer | undefined;
  /** Counts of the large results. */
  readonly #held: number[] = [];
  readonly #isBatch: boolean;
  #resolve!: (answer: HttpAnswer | Promise<HttpAnswer>) => void; // assigned by the promise, whose function runs at once
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStream = false;

  constructor(ids: readonly RequestId[], { isBatch, ...options }: PostAnswerOptions & { readonly isBatch: boolean }) {
    this.#options = options;
    this.#isBatch = isBatch;
    this.#waiting = new Set(ids);
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (options.form === 'stream') this.#becomeStream();
    if (options.form !== 'either' || options.streamAfterMs === undefined) return;
    this.#timer = inBackground(setTimeout(() => this.#becomeStream(), options.streamAfterMs));
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** A message before the results. Not sent to clients that only accept JSON. */
  tell(message: JSONRPCMessage): Promise<void> | void {
    if (this.#options.form === 'json') return;
    this.#becomeStream();
    return this.#options.write(message);
  }

  /** @param status - Of the response, if it is JSON. */
  settle(id: RequestId, message: JSONRPCMessage, status = 200): Promise<void> | void {
    if (!this.#waiting.delete(id)) return;
    this.#status = status;
    const written = this.#isStream ? this.#options.write(message) : void this.#results.push(this.#hold(message));
    if (this.#waiting.size === 0) this.#finish();
    return written;
  }

  /** The request is cancelled, and gets no response. */
  drop(id: RequestId): void {
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#finish();
  }

  /**
   * Ends the open requests without responses.
   *
   * @param answer - In place of a response that is not a stream yet.
   */
  end(answer?: HttpAnswer): void {
    this.#waiting.clear();
    if (answer === undefined || this.#isStream) {
      this.#finish();
      return;
    }
    clearTimeout(this.#timer);
    this.#givenUp = answer;
    this.#resolve(answer);
    this.#options.onOver();
  }

  /** The message, or an error in its place if there is no room for it. */
  #hold(message: JSONRPCMessage): JSONRPCMessage {
    const bytes = sizeOf(message);
    if (bytes <= PIECE_BYTES) return message;
    if (!this.#options.waiting.hold(bytes)) return droppedResult(message);
    this.#held.push(bytes);
    return message;
  }

  #finish(): void {
    clearTimeout(this.#timer);
    const { form, onOver } = this.#options;
    // A stream without a response is the protocol's form for none.
    if (this.#results.length === 0 && form !== 'json') this.#becomeStream();
    if (!this.#isStream) this.#resolve(this.#asJson());
    onOver();
  }

  #asJson(): HttpAnswer | Promise<HttpAnswer> {
    const { headers, turns, waiting } = this.#options;
    const [first, ...others] = this.#results;
    if (first === undefined) return new HttpAnswer(202, null, headers);
    const message = this.#isBatch ? [first, ...others] : first;
    if (this.#held.length === 0) return answerJson(message, { headers, status: this.#status });
    const isNeeded = () => this.#givenUp === undefined;
    return encodeInTurns(message, turns, waiting.caller, isNeeded).then(
      (body) => this.#givenUp ?? new HttpAnswer(this.#status, body, { 'content-type': 'application/json', ...headers }),
    );
  }

  #becomeStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    clearTimeout(this.#timer);
    const { openStream, waiting, write } = this.#options;
    this.#resolve(openStream());
    for (const bytes of this.#held.splice(0)) waiting.release(bytes);
    for (const message of this.#results.splice(0)) void write(message);
  }
}
