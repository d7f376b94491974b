import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { inBackground } from '../../background-timer.js';
import { type AnswerHeaders, answerJson, HttpAnswer, idOf } from '../http-answers.js';
import { PIECE_BYTES } from '../queue-bounds.js';
import { sizeOf } from './message-size.js';
import type { Waiting } from './waiting-bytes.js';

/** What a client takes: one JSON value, a stream of events, or whichever fits. */
export type AnswerForm = 'json' | 'stream' | 'either';

export interface PostAnswerOptions {
  readonly form: AnswerForm;
  readonly headers: AnswerHeaders;
  /** A quiet answer becomes a stream after this long, in milliseconds: then its client can lose it and come back. */
  readonly streamAfterMs: number;
  /** Makes the answer a stream. */
  readonly openStream: () => HttpAnswer;
  /** Writes to the stream, whether or not its client is there to read. */
  readonly write: (message: JSONRPCMessage) => void;
  /** Counts results that wait for others of the same body. */
  readonly waiting: Waiting;
  /** Nothing more comes. */
  readonly onOver: () => void;
}

/**
 * The answer to the requests that came in one body: JSON as long as nothing is to be said before their results, and a
 * stream of events from then on.
 */
export class PostAnswer {
  readonly answer: Promise<HttpAnswer>;
  readonly #options: PostAnswerOptions;
  readonly #waiting: Set<RequestId>;
  readonly #results: JSONRPCMessage[] = [];
  readonly #isBatch: boolean;
  #resolve!: (answer: HttpAnswer) => void; // given by the promise, whose function runs at once
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
    if (options.form !== 'either') return;
    this.#timer = inBackground(setTimeout(() => this.#becomeStream(), options.streamAfterMs));
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** Something that comes before the results. Who only takes JSON is not told. */
  tell(message: JSONRPCMessage): void {
    if (this.#options.form === 'json') return;
    this.#becomeStream();
    this.#options.write(message);
  }

  settle(id: RequestId, message: JSONRPCMessage): void {
    if (!this.#waiting.delete(id)) return;
    if (this.#isStream) this.#options.write(message);
    else this.#results.push(this.#hold(message));
    if (this.#waiting.size === 0) this.#finish();
  }

  /** The request is cancelled, and nobody is to answer it. */
  drop(id: RequestId): void {
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#finish();
  }

  /** Answers what is not answered yet as something that never will be. */
  end(): void {
    this.#waiting.clear();
    this.#finish();
  }

  /** The message, or an error in its place if too much waits already. A large one waits here for the rest of its batch. */
  #hold(message: JSONRPCMessage): JSONRPCMessage {
    const bytes = sizeOf(message);
    const { waiting } = this.#options;
    if (bytes <= PIECE_BYTES || (this.#isBatch ? waiting.hold(bytes) : waiting.hasRoom)) return message;
    const error = { code: -32_000, message: 'The result was dropped: too many bytes wait for this caller already' };
    return { jsonrpc: '2.0', id: idOf(message) ?? 0, error };
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#options.waiting.clear(); // the answer counts from here on
    const [first, ...others] = this.#results;
    // A stream without an answer is how the protocol says that none comes.
    if (!this.#isStream && first === undefined && this.#options.form !== 'json') this.#becomeStream();
    const { headers } = this.#options;
    if (first === undefined) this.#resolve(new HttpAnswer(202, null, headers));
    else this.#resolve(answerJson(this.#isBatch ? [first, ...others] : first, { headers }));
    this.#options.onOver();
  }

  #becomeStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    clearTimeout(this.#timer);
    this.#resolve(this.#options.openStream());
    this.#options.waiting.clear();
    for (const message of this.#results.splice(0)) this.#options.write(message);
  }
}
