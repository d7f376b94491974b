import { type DaemonControl, type HandleServerRequest, mapMethods, type WaitOptions } from '../../control/control.js';
import { ControlError } from '../../control/control-error.js';
import { type Method, methods } from '../../control/methods.js';
import type { RequestOptions, RpcClient } from './rpc-client.js';

const maxWaitingItems = 500;

type Connect = (options: WaitOptions) => Promise<RpcClient>;
type Options = WaitOptions & { readonly onServerRequest?: HandleServerRequest } & Readonly<Record<string, unknown>>;

/**
 * The servers of a daemon. Disposal closes the connection; the daemon and its servers stay up.
 *
 * @param connect - Opens a connection per stream, so that a slow reader delays nothing else.
 */
export function createRemoteControl(first: RpcClient, connect: Connect): DaemonControl {
  const requests = mapMethods(methods, (name, row) => {
    if (row.streams) return (options: Options = {}) => readItems(connect, name, row, options);
    return async (options: Options = {}) => (await request(first, name, row, options)) ?? undefined;
  });
  return {
    ...requests,
    [Symbol.asyncDispose]: async () => first.close(),
  };
}

function request(rpc: RpcClient, name: string, row: Method, options: Options): Promise<unknown> {
  const [listener] = Object.keys(row.listeners ?? {});
  const { calls } = row;
  return rpc.request(name, paramsOf(row, options), {
    signal: options.signal,
    onItem: listener === undefined ? undefined : (options[listener] as RequestOptions['onItem']),
    onServerRequest: options.onServerRequest,
    lost: calls === undefined ? undefined : (end) => outcomeUnknown(end, String(options[calls])),
  });
}

function paramsOf({ params = {} }: Method, options: Options): object {
  return Object.fromEntries(Object.keys(params).map((name) => [name, options[name]]));
}

/** Must not be repeated like other requests, because the tool may have had its effect. */
function outcomeUnknown(end: ControlError, tool: string): ControlError {
  return new ControlError(
    'outcome-unknown',
    `The connection to the daemon ended while it called "${tool}": the call may or may not have had its effect.`,
    { hint: 'Check if it had before you call it again.', cause: end },
  );
}

async function* readItems(
  connect: Connect,
  name: string,
  row: Method,
  options: Options,
): AsyncGenerator<unknown, void, undefined> {
  const { signal } = options;
  const rpc = await connect({ signal });
  const waiting: unknown[] = [];
  let wake: () => void = () => undefined;
  let end: { readonly error?: unknown } | undefined;
  const settled = (outcome: { readonly error?: unknown }): void => {
    end = outcome;
    wake();
  };
  const onItem = (item: unknown): void => {
    waiting.push(item);
    if (waiting.length >= maxWaitingItems) rpc.pause();
    wake();
  };
  try {
    rpc.request(name, paramsOf(row, options), { signal, onItem }).then(
      () => settled({}),
      (error: unknown) => settled({ error }),
    );
    for (;;) {
      const item = waiting.shift();
      if (item !== undefined) {
        if (waiting.length === 0) rpc.resume();
        yield item;
      } else if (end) {
        if ('error' in end) throw end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    rpc.close();
  }
}
