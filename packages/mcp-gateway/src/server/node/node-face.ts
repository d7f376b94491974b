import type { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** A handler's entrance beside `fetch`, without a `Request` and a `Response`, which cost more than most responses. */
export const ANSWER: unique symbol = Symbol('answer');

/** A handler with that entrance. */
export interface NodeFace {
  /** Never rejects. The body of a response is bounded if it is a stream. */
  [ANSWER](ask: HttpAsk): Promise<HttpAnswer>;
}

export function nodeFaceOf(handler: object): NodeFace | undefined {
  return ANSWER in handler ? (handler as NodeFace) : undefined;
}
