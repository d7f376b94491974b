import type { AnswerQuestion } from '../control/control.js';
import { ControlError, controlErrorFrom } from '../control/control-error.js';
import type { LineConnection } from './line-connection.js';
import { maxAnswerBytes, maxRequestBytes, type RpcBeat, type RpcCancel, type RpcRequest } from './rpc-messages.js';
import { AnsweredQuestions } from './rpc-questions.js';
import { monotonicMs } from './system-process.js';

/** How long nothing may come before the daemon is asked whether it is there, and given up, in milliseconds. */
const askAfterMs = 4_000;
const giveUpAfterMs = 20_000;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called for each item that comes before the answer. */
  readonly onItem?: ((item: unknown) => void) | undefined;
  /** Answers what is asked before the answer. Default: it is refused. */
  readonly onQuestion?: AnswerQuestion | undefined;
  /** What a request fails with when the connection ends before its answer. Default: that end, which may be tried again. */
  readonly lost?: ((end: ControlError) => ControlError) | undefined;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onItem: RequestOptions['onItem'];
  readonly questions: AnsweredQuestions;
  readonly lost: (end: ControlError) => ControlError;
}

/** Requests to one daemon over one connection that both sides have proven themselves on. */
export class RpcClient {
  readonly #connection: LineConnection;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #beat: NodeJS.Timeout | undefined;
  #heardAt = monotonicMs();
  #isPaused = false;
  #end: ControlError | undefined;

  constructor(connection: LineConnection) {
    this.#connection = connection;
    connection.expect({ maxLineBytes: maxAnswerBytes, onMessage: (message) => this.#take(message) });
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** @throws {ControlError} What the daemon says, `daemon-lost`, `daemon-unreachable`, `message-too-large`. */
  request(
    method: string,
    params: object,
    { signal, onItem, onQuestion, lost = (end) => end }: RequestOptions = {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#end) throw this.#end; // nothing was sent: whoever asks may connect anew
    const id = this.#nextId++;
    const json = JSON.stringify({ jsonrpc: '2.0', id, method, params } satisfies RpcRequest);
    if (Buffer.byteLength(json) > maxRequestBytes) {
      throw new ControlError('message-too-large', `The request "${method}" is larger than ${maxRequestBytes} bytes.`, {
        hint: 'Give the tool less at once, such as the path of a file rather than what is in it.',
      });
    }
    const questions = new AnsweredQuestions(this.#connection, id, onQuestion);
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        signal?.removeEventListener('abort', cancel);
        questions.end();
        this.#pending.delete(id);
        this.#keepBeat();
      };
      const cancel = (): void => {
        settled();
        this.#connection.send({ jsonrpc: '2.0', method: '$/cancel', params: { id } } satisfies RpcCancel);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        onItem,
        questions,
        lost,
      });
      this.#keepBeat();
      this.#connection.sendText(json);
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#heardAt = monotonicMs();
    this.#connection.resume();
  }

  close(): void {
    this.#connection.close();
  }

  /** To be called when the connection is gone. */
  closed(problem?: string): void {
    const end = this.#end ?? (problem === undefined ? daemonLost() : brokenOff(problem));
    this.#end = end;
    for (const { reject, lost } of [...this.#pending.values()]) reject(lost(end));
    this.#keepBeat();
  }

  #take(message: unknown): void {
    this.#heardAt = monotonicMs();
    const { id, result, error, method, params } = (message ?? {}) as Record<string, unknown>;
    if (typeof method === 'string') {
      this.#takeNotice(method, (params ?? {}) as Record<string, unknown>);
      return;
    }
    const pending = this.#pending.get(id as number);
    if (!pending) return; // the answer to what was cancelled
    if (error === undefined) pending.resolve(result);
    else pending.reject(controlErrorFrom((error as { readonly data?: unknown }).data));
  }

  #takeNotice(method: string, params: Readonly<Record<string, unknown>>): void {
    const pending = this.#pending.get(params.id as number);
    if (method === '$/item') pending?.onItem?.(params.item);
    else if (method === '$/ask') void pending?.questions.take(params);
    else if (method === '$/withdraw') pending?.questions.withdraw(params);
  }

  /** While an answer is waited for, the daemon has to show now and then that it is there: a stopped one keeps its socket. */
  #keepBeat(): void {
    if (this.#pending.size > 0 && this.#beat === undefined && !this.#end) {
      this.#heardAt = monotonicMs();
      this.#beat = setInterval(() => this.#ask(), askAfterMs);
    } else if (this.#pending.size === 0 || this.#end) {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
  }

  #ask(): void {
    if (this.#isPaused) return; // it is we who do not listen
    const silentMs = monotonicMs() - this.#heardAt;
    if (silentMs > giveUpAfterMs) this.#connection.close('it has said nothing for too long');
    else if (silentMs >= askAfterMs) this.#connection.send({ jsonrpc: '2.0', method: '$/ping' } satisfies RpcBeat);
  }
}

function daemonLost(): ControlError {
  return new ControlError('daemon-lost', 'The daemon ended before it had answered.', {
    hint: 'Run the command again; "mcpx daemon logs" tells why the daemon ended.',
    retryable: true,
  });
}

function brokenOff(problem: string): ControlError {
  return new ControlError('daemon-unreachable', `The connection with the daemon was broken off: ${problem}.`, {
    hint: 'Run "mcpx down" and then "mcpx up" if this happens again.',
    retryable: true,
  });
}
