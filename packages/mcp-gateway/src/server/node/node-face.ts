import type { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** A handler's second entrance, without `Request` and `Response`, which cost more than most responses. */
export const ANSWER: unique symbol = Symbol('answer');

export interface NodeFace {
  /** Never rejects. A body that is a stream is bounded. */
  [ANSWER](ask: HttpAsk): Promise<HttpAnswer>;
}

export function nodeFaceOf(handler: object): NodeFace | undefined {
  return ANSWER in handler ? (handler as NodeFace) : undefined;
}
