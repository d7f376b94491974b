import { isRecord } from '@x/internal/json';
import type { HandleServerRequest } from '../../control/control.js';
import type { LineConnection } from './line-connection.js';
import { maxRequestBytes, type RpcReply, type RpcServerRequest, type RpcWithdrawal } from './protocol.js';

interface Open {
  settle(reply: Readonly<Record<string, unknown>>): void;
  cancel(reason: unknown): void;
}

/** The daemon's side: server requests during one request. */
export class SentServerRequests {
  readonly #connection: Pick<LineConnection, 'send'>;
  readonly #id: number;
  readonly #open = new Map<number, Open>();
  #count = 0;
  #end: { readonly reason: unknown } | undefined;

  /** @param id - Of the request. */
  constructor(connection: Pick<LineConnection, 'send'>, id: number) {
    this.#connection = connection;
    this.#id = id;
  }

  async send(question: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#end !== undefined) throw this.#end.reason;
    this.#count += 1;
    const n = this.#count;
    const params = { id: this.#id, n };
    this.#connection.send({
      jsonrpc: '2.0',
      method: '$/ask',
      params: { ...params, question },
    } satisfies RpcServerRequest);
    const withdraw = (): void => {
      this.#connection.send({ jsonrpc: '2.0', method: '$/withdraw', params } satisfies RpcWithdrawal);
      this.#open.get(n)?.cancel(signal.reason);
    };
    signal.addEventListener('abort', withdraw);
    try {
      return await new Promise((resolve, reject) => {
        const settle: Open['settle'] = (reply) => ('result' in reply ? resolve(reply.result) : reject(toError(reply)));
        this.#open.set(n, { settle, cancel: reject });
      });
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(n);
    }
  }

  settle({ n, ...reply }: Readonly<Record<string, unknown>>): void {
    this.#open.get(n as number)?.settle(reply);
  }

  /** Cancels open server requests, because the request has ended. */
  end(reason: unknown): void {
    this.#end = { reason };
    for (const question of this.#open.values()) question.cancel(reason);
  }
}

/** The command's side: server requests during one request. */
export class ReceivedServerRequests {
  readonly #connection: Pick<LineConnection, 'send' | 'sendText'>;
  readonly #id: number;
  readonly #handle: HandleServerRequest | undefined;
  readonly #open = new Map<number, AbortController>();

  /** @param id - Of the request. */
  constructor(
    connection: Pick<LineConnection, 'send' | 'sendText'>,
    id: number,
    handle: HandleServerRequest | undefined,
  ) {
    this.#connection = connection;
    this.#id = id;
    this.#handle = handle;
  }

  async receive({ n, question }: Readonly<Record<string, unknown>>): Promise<void> {
    if (typeof n !== 'number') return;
    const open = new AbortController();
    this.#open.set(n, open);
    const reply = await this.#replyTo(question, open.signal);
    if (this.#open.delete(n)) this.#connection.sendText(textOf({ id: this.#id, n, ...reply }));
  }

  withdraw({ n }: Readonly<Record<string, unknown>>): void {
    this.#open.get(n as number)?.abort(new Error('the request was cancelled'));
    this.#open.delete(n as number);
  }

  /** Cancels open server requests, because the request has ended. */
  end(): void {
    for (const n of [...this.#open.keys()]) this.withdraw({ n });
  }

  async #replyTo(question: unknown, signal: AbortSignal): Promise<Reply> {
    if (this.#handle === undefined) return refusal('There is no client to handle this request');
    try {
      return { result: await this.#handle(question, { signal }) };
    } catch (error) {
      const { message, code, data } = isRecord(error) ? error : {};
      const text = typeof message === 'string' ? message : 'There was no response';
      return { error: { message: text, ...(Number.isSafeInteger(code) && { code: code as number, data }) } };
    }
  }
}

type Reply = Omit<RpcReply['params'], 'id' | 'n'>;

function refusal(message: string): Reply {
  return { error: { message } };
}

function textOf({ id, n, ...reply }: RpcReply['params']): string {
  const text = JSON.stringify({ jsonrpc: '2.0', method: '$/reply', params: { id, n, ...reply } } satisfies RpcReply);
  if (Buffer.byteLength(text) <= maxRequestBytes) return text;
  return textOf({ id, n, ...refusal(`The response is larger than ${maxRequestBytes} bytes`) });
}

function toError({ error }: Readonly<Record<string, unknown>>): Error {
  const { message, code, data } = isRecord(error) ? error : {};
  return Object.assign(
    new Error(typeof message === 'string' ? message : 'There was no response'),
    Number.isSafeInteger(code) ? { code } : {},
    data === undefined ? {} : { data },
  );
}
