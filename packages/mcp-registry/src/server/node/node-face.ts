import type { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** A handler's way in beside `fetch`, without a `Request` and a `Response`, which cost more than most answers do. */
export const ANSWER: unique symbol = Symbol('answer');

export interface Answering {
  /** Never rejects. The body of an answer is bounded if it is a stream. */
  [ANSWER](ask: HttpAsk): Promise<HttpAnswer>;
}

export function answeringOf(handler: object): Answering | undefined {
  return ANSWER in handler ? (handler as Answering) : undefined;
}
