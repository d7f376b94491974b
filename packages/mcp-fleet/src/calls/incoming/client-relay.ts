import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import type { ClientAnswer } from '../wire/controls.js';
import { encodeCancelledRequest, encodeServerRequest } from '../wire/replies.js';

interface PendingRequest {
  settle(answer: ClientAnswer): void;
  giveUp(reason: unknown): void;
}

/** Relays server requests of one call to the client at another node. */
export class ClientRelay implements CallHandler {
  readonly client: unknown;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly #send: (message: Uint8Array) => void;
  readonly #pending = new Map<number, PendingRequest>();
  #lastNumber = 0;
  #end: { readonly reason: unknown } | undefined;

  /** @param send - Sends to the calling node. Its errors fail the request. */
  constructor(handler: Pick<CallHandler, 'client' | 'capabilities'>, send: (message: Uint8Array) => void) {
    this.client = handler.client;
    this.capabilities = handler.capabilities;
    this.#send = send;
  }

  async answer(
    { method, params }: ServerRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>>> {
    signal.throwIfAborted();
    if (this.#end !== undefined) throw this.#end.reason;
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    this.#send(encodeServerRequest(n, method, params));
    const onAbort = () => {
      this.#pending.get(n)?.giveUp(signal.reason);
      this.#cancel(n);
    };
    signal.addEventListener('abort', onAbort);
    try {
      return await new Promise((resolve, reject) => {
        const settle = (answer: ClientAnswer) =>
          'result' in answer ? resolve(answer.result) : reject(toError(answer));
        this.#pending.set(n, { settle, giveUp: reject });
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#pending.delete(n);
    }
  }

  onAnswer(n: number, answer: ClientAnswer): void {
    this.#pending.get(n)?.settle(answer);
  }

  end(reason: unknown): void {
    this.#end = { reason };
    for (const request of this.#pending.values()) request.giveUp(reason);
  }

  #cancel(n: number): void {
    try {
      this.#send(encodeCancelledRequest(n));
    } catch {
      // An unreachable node drops its requests when the call ends.
    }
  }
}

function toError({ error: { message, code, data } }: Extract<ClientAnswer, { readonly error: unknown }>): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code }, data === undefined ? {} : { data });
}

interface RemoteClient {
  readonly node: string;
  readonly incarnation: number;
  readonly number: number;
}

/** One object per client at another node, kept as long as it is referenced, so that sources can compare clients. */
export class RemoteClients {
  readonly #clients = new Map<string, WeakRef<RemoteClient>>();
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (this.#clients.get(key)?.deref() === undefined) this.#clients.delete(key);
  });

  find(client: RemoteClient): RemoteClient {
    const key = `${client.node} ${client.incarnation} ${client.number}`;
    const known = this.#clients.get(key)?.deref();
    if (known !== undefined) return known;
    this.#clients.set(key, new WeakRef(client));
    this.#forgotten.register(client, key);
    return client;
  }
}
