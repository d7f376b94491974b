import type { AnswerQuestion, DaemonControl } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { type Method, methods } from '../control/methods.js';
import { readParams } from '../control/params.js';

/** The connection of one request. */
export interface RequestContext {
  readonly signal: AbortSignal;
  /** Sends an item of the request. */
  readonly tell: (item: unknown) => void;
  /** Resolves when the other side has taken the items, so that a slow reader slows the source. */
  readonly taken: () => Promise<void>;
  /** Sends a question to the sender of the request. Rejects with its refusal, and when the request is over. */
  readonly ask: AnswerQuestion;
}

/**
 * Does what a request asks for.
 *
 * @throws {ControlError} `invalid-request`: no method has that name, or a parameter does not fit.
 */
export async function dispatch(
  control: DaemonControl,
  method: string,
  params: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<unknown> {
  if (!isMethod(method)) {
    throw new ControlError('invalid-request', `The daemon has no request named "${method}".`, {
      hint: `Requests are ${Object.keys(methods).join(', ')}.`,
    });
  }
  const { params: shape = {}, tells = {}, asks, streams }: Method = methods[method];
  const options = {
    ...readParams(method, shape, params),
    ...Object.fromEntries(Object.keys(tells).map((listener) => [listener, context.tell])),
    ...(asks && { onQuestion: context.ask }),
    signal: context.signal,
  };
  const outcome = (control[method] as (options: object) => unknown)(options);
  return streams ? tellAll(outcome as AsyncIterable<unknown>, context) : outcome;
}

function isMethod(name: string): name is keyof typeof methods {
  return Object.hasOwn(methods, name);
}

async function tellAll(items: AsyncIterable<unknown>, { tell, taken }: RequestContext): Promise<void> {
  for await (const item of items) {
    tell(item);
    await taken();
  }
}
