import type { DaemonControl, HandleServerRequest } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { type Method, methods } from '../control/methods.js';
import { readParams } from '../control/params.js';

export interface RequestContext {
  readonly signal: AbortSignal;
  /** Sends an item of the request. */
  readonly sendItem: (item: unknown) => void;
  /** Resolves when the client has read the items, so that a slow reader slows the source. */
  readonly drained: () => Promise<void>;
  /** Forwards a server request to the client. Rejects with its error, or when the request ends. */
  readonly handleRequest: HandleServerRequest;
}

/** @throws {ControlError} `invalid-request`: no method has that name, or a parameter does not fit. */
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
  const { params: shape = {}, listeners = {}, forwardsRequests, streams }: Method = methods[method];
  const options = {
    ...readParams(method, shape, params),
    ...Object.fromEntries(Object.keys(listeners).map((listener) => [listener, context.sendItem])),
    ...(forwardsRequests && { onServerRequest: context.handleRequest }),
    signal: context.signal,
  };
  const outcome = (control[method] as (options: object) => unknown)(options);
  return streams ? sendAll(outcome as AsyncIterable<unknown>, context) : outcome;
}

function isMethod(name: string): name is keyof typeof methods {
  return Object.hasOwn(methods, name);
}

async function sendAll(items: AsyncIterable<unknown>, { sendItem, drained }: RequestContext): Promise<void> {
  for await (const item of items) {
    sendItem(item);
    await drained();
  }
}
