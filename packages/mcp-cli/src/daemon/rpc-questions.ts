import { isRecord } from '@x/internal/json';
import type { AnswerQuestion } from '../control/control.js';
import type { LineConnection } from './line-connection.js';
import { maxRequestBytes, type RpcQuestion, type RpcReply, type RpcWithdrawal } from './rpc-messages.js';

interface Open {
  settle(reply: Readonly<Record<string, unknown>>): void;
  giveUp(reason: unknown): void;
}

/** The daemon's side: what one request asks of whoever sent it. */
export class AskedQuestions {
  readonly #connection: Pick<LineConnection, 'send'>;
  readonly #id: number;
  readonly #open = new Map<number, Open>();
  #asked = 0;
  #end: { readonly reason: unknown } | undefined;

  /** @param id - Of the request. */
  constructor(connection: Pick<LineConnection, 'send'>, id: number) {
    this.#connection = connection;
    this.#id = id;
  }

  async ask(question: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#end !== undefined) throw this.#end.reason;
    this.#asked += 1;
    const n = this.#asked;
    const params = { id: this.#id, n };
    this.#connection.send({ jsonrpc: '2.0', method: '$/ask', params: { ...params, question } } satisfies RpcQuestion);
    const withdraw = (): void => {
      this.#connection.send({ jsonrpc: '2.0', method: '$/withdraw', params } satisfies RpcWithdrawal);
      this.#open.get(n)?.giveUp(signal.reason);
    };
    signal.addEventListener('abort', withdraw);
    try {
      return await new Promise((resolve, reject) => {
        const settle: Open['settle'] = (reply) => ('result' in reply ? resolve(reply.result) : reject(toError(reply)));
        this.#open.set(n, { settle, giveUp: reject });
      });
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(n);
    }
  }

  take({ n, ...reply }: Readonly<Record<string, unknown>>): void {
    this.#open.get(n as number)?.settle(reply);
  }

  /** The request is over, and whatever was asked for it. */
  end(reason: unknown): void {
    this.#end = { reason };
    for (const question of this.#open.values()) question.giveUp(reason);
  }
}

/** The command's side: what the daemon asks for one request. */
export class AnsweredQuestions {
  readonly #connection: Pick<LineConnection, 'send' | 'sendText'>;
  readonly #id: number;
  readonly #answer: AnswerQuestion | undefined;
  readonly #open = new Map<number, AbortController>();

  /** @param id - Of the request. */
  constructor(connection: Pick<LineConnection, 'send' | 'sendText'>, id: number, answer: AnswerQuestion | undefined) {
    this.#connection = connection;
    this.#id = id;
    this.#answer = answer;
  }

  async take({ n, question }: Readonly<Record<string, unknown>>): Promise<void> {
    if (typeof n !== 'number') return;
    const asked = new AbortController();
    this.#open.set(n, asked);
    const reply = await this.#replyTo(question, asked.signal);
    if (this.#open.delete(n)) this.#connection.sendText(textOf({ id: this.#id, n, ...reply }));
  }

  withdraw({ n }: Readonly<Record<string, unknown>>): void {
    this.#open.get(n as number)?.abort(new Error('the question was withdrawn'));
    this.#open.delete(n as number);
  }

  /** The request is over: nobody wants to know any more. */
  end(): void {
    for (const n of [...this.#open.keys()]) this.withdraw({ n });
  }

  async #replyTo(question: unknown, signal: AbortSignal): Promise<Reply> {
    if (this.#answer === undefined) return refusal('Nobody answers here');
    try {
      return { result: await this.#answer(question, { signal }) };
    } catch (error) {
      const { message, code, data } = isRecord(error) ? error : {};
      const words = typeof message === 'string' ? message : 'There was no answer';
      return { error: { message: words, ...(Number.isSafeInteger(code) && { code: code as number, data }) } };
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
  return textOf({ id, n, ...refusal(`The answer is larger than ${maxRequestBytes} bytes`) });
}

/** As whoever was asked has put it. */
function toError({ error }: Readonly<Record<string, unknown>>): Error {
  const { message, code, data } = isRecord(error) ? error : {};
  return Object.assign(
    new Error(typeof message === 'string' ? message : 'There was no answer'),
    Number.isSafeInteger(code) ? { code } : {},
    data === undefined ? {} : { data },
  );
}
