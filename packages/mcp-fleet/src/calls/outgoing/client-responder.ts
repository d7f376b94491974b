import type { CallHandler, ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { FleetError } from '../../errors.js';
import type { ClientAnswer } from '../wire/controls.js';

const MAX_OPEN = 64;

/** Responds to server requests from another node with the client of the call. */
export class ClientResponder {
  readonly #handler: CallHandler | undefined;
  readonly #server: string;
  readonly #send: (n: number, answer: ClientAnswer) => void;
  readonly #open = new Map<number, AbortController>();

  constructor(handler: CallHandler | undefined, server: string, send: (n: number, answer: ClientAnswer) => void) {
    this.#handler = handler;
    this.#server = server;
    this.#send = send;
  }

  async respond(n: number, request: ServerRequest): Promise<void> {
    const handler = this.#handler;
    if (this.#open.has(n)) return; // counts duplicates once, or they would evade the limit
    if (handler === undefined || this.#open.size >= MAX_OPEN) {
      const why =
        handler === undefined
          ? 'The call has no client that handles server requests'
          : 'The call has too many server requests in progress';
      this.#send(n, refusal(why));
      return;
    }
    const controller = new AbortController();
    this.#open.set(n, controller);
    const answer = await answerOf(handler, request, { server: this.#server, signal: controller.signal });
    if (this.#open.delete(n)) this.#send(n, answer);
  }

  cancel(n: number): void {
    this.#open.get(n)?.abort(new FleetError('cancelled', 'The server cancelled the request'));
    this.#open.delete(n);
  }

  end(): void {
    for (const n of Array.from(this.#open.keys())) this.cancel(n);
  }
}

async function answerOf(
  handler: CallHandler,
  request: ServerRequest,
  context: Parameters<CallHandler['answer']>[1],
): Promise<ClientAnswer> {
  try {
    return { result: await handler.answer(request, context) };
  } catch (error) {
    const { message, code, data }: Readonly<Record<string, unknown>> = isRecord(error) ? error : {};
    const words = typeof message === 'string' ? message : 'The client failed without a message';
    return {
      error: { ...refusal(words).error, ...(Number.isSafeInteger(code) ? { code: code as number, data } : {}) },
    };
  }
}

export function refusal(message: string): Extract<ClientAnswer, { readonly error: unknown }> {
  return { error: { message } };
}
