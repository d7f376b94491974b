import type { JSONRPCErrorResponse, JSONRPCResultResponse } from '@modelcontextprotocol/server';
import { onAbort } from '@x/internal/async';
import type { ServerRequest } from '@x/internal/contracts';
import type { Fields } from './client-request.js';

export class NoAnswer extends Error {}

interface OpenQuestion {
  readonly resolve: (answer: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

export type SendQuestion = (message: Fields & { readonly method: string; readonly id?: number }) => Promise<void>;

export class ClientQuestions {
  readonly #open = new Map<number, OpenQuestion>();
  #lastId = 0;

  async ask(
    { method, params }: ServerRequest,
    {
      signal,
      timeoutMs,
      send,
    }: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly send: SendQuestion },
  ): Promise<Fields> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const cancel = (reason: unknown) => {
      const question = this.#open.get(id);
      if (question === undefined) return;
      const cancelled = { requestId: id, reason: String(reason) };
      send({ method: 'notifications/cancelled', params: cancelled }).catch(() => undefined); // fails only if the connection is gone
      question.reject(reason);
    };
    const ignore = onAbort(signal, () => cancel(signal.reason));
    const timer = setTimeout(() => cancel(new NoAnswer(`No answer within ${timeoutMs} milliseconds`)), timeoutMs);
    try {
      return await new Promise<Fields>((resolve, reject) => {
        this.#open.set(id, { resolve, reject });
        send({ id, method, params }).catch(reject);
      });
    } finally {
      this.#open.delete(id);
      clearTimeout(timer);
      ignore();
    }
  }

  /** Returns `false` if no request was waiting for this response. */
  settle(answer: JSONRPCResultResponse | JSONRPCErrorResponse): boolean {
    const question = this.#open.get(Number(answer.id));
    if (question === undefined) return false;
    if ('result' in answer) question.resolve(answer.result);
    else question.reject(clientError(answer.error));
    return true;
  }

  end(): void {
    for (const { reject } of this.#open.values()) reject(new NoAnswer('The connection ended'));
  }
}

/** Copies only these members: others could replace an `Error`'s own, such as `toString`. */
function clientError({ code, message, data }: JSONRPCErrorResponse['error']): Error {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });
}
