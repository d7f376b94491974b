import type { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** A handler's way in beside `fetch`, without a `Request` and a `Response`, which cost more than most answers do. */
export const ANSWER: unique symbol = Symbol('answer');

/** What has that way in. */
export interface NodeFace {
  /** Never rejects. The body of an answer is bounded if it is a stream. */
  [ANSWER](ask: HttpAsk): Promise<HttpAnswer>;
}

export function nodeFaceOf(handler: object): NodeFace | undefined {
  return ANSWER in handler ? (handler as NodeFace) : undefined;
}
