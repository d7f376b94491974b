type Handlers = Readonly<Record<string, (params: never) => unknown>>;

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly value?: unknown;
  readonly error?: string;
}

/** Either end of Node's channel between a process and its child. */
interface End {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  readonly connected: boolean;
  send?(message: Message): boolean;
}

const gone = 'The other end has gone';

export type Request = <Value>(method: string, params?: unknown) => Promise<Value>;

/**
 * Responds to the requests of the other end with `handlers`. Returns a function that sends requests to it, which reject
 * when the other end has gone.
 */
export function connect(end: End, handlers: Handlers): Request {
  const pending = new Map<number, (response: Message) => void>();
  let lastId = 0;

  end.on('message', (message) => {
    const { id, method, ...rest } = message as Message;
    if (method === undefined) pending.get(id)?.({ id, ...rest });
    else void respond(id, method, rest.params);
  });
  end.on('disconnect', () => {
    for (const [id, settle] of pending) settle({ id, error: gone });
  });

  return (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      pending.set(id, ({ value, error }) => {
        pending.delete(id);
        if (error === undefined) resolve(value as never);
        else reject(new Error(error));
      });
      if (!send({ id, method, params })) pending.get(id)?.({ id, error: gone });
    });

  async function respond(id: number, method: string, params: unknown): Promise<void> {
    try {
      send({ id, value: await handlers[method]?.(params as never) });
    } catch (error) {
      send({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function send(message: Message): boolean {
    if (end.connected) end.send?.(message);
    return end.connected;
  }
}
