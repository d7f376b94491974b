import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { onAbort } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { malformedAnswerCode } from '../transport/answer.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import type { HostUnderWay } from './host-under-way.js';
import { numberOfId } from './number-of-id.js';

/** Ids of these requests. The SDK counts its own from 0, and the short way for calls has those from here to 31 bits. */
const firstId = 1_000_000_000;
const lastId = 1_499_999_999;

export type Params = Readonly<Record<string, unknown>>;
export type RawMessage = Readonly<Record<string, unknown>>;
export type RawResult = Readonly<Record<string, unknown>>;

export interface RequestLaneOptions {
  /** Goes into `_meta` of every message from revision 2026-07-28 on; `undefined` before. Asked for each message. */
  readonly envelope: () => Params | undefined;
  /**
   * Told of every request of the server's own in the moment in which it is read; the SDK sees it then.
   * @param about - The request of ours that it belongs to, if the transport tells.
   */
  readonly onRequest: (message: RawMessage & { readonly method: string }, about: RequestOrigin | undefined) => void;
  /** Told of every result in the moment in which it is read. @param host - Of whom the request was made for. */
  readonly onResult: (result: RawResult, host: HostUnderWay | undefined) => void;
  /** Gets every notification. `true`: it was for this listener, and the SDK need not see it. */
  readonly onNotification: (method: string, params: Params) => boolean;
}

/** The request of ours that one of the server's own is about: for whom it is made, or `gone` if nobody waits for it. */
export type RequestOrigin = { readonly host: HostUnderWay | undefined } | 'gone';

export interface RawRequestOptions {
  readonly signal: AbortSignal;
  /** Goes along with the request over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of whom it is made for. */
  readonly host?: HostUnderWay | undefined;
}

/** A transport that may keep messages back until the server reads. */
interface HoldingTransport extends Transport {
  /** Whether the request of this id is not written yet. Default: it never waits for that. */
  holds?(id: number): boolean;
  /** The id of our request that one of the server's own belongs to; `undefined` in it: of several. To be asked once. */
  takeOrigin?(id: unknown): { readonly id: unknown } | undefined;
}

interface Pending {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly host: HostUnderWay | undefined;
  readonly isList: boolean;
}

/**
 * Our own requests on a transport that an SDK client is connected to. Answers to them are taken out before the client
 * sees them, so that results and errors arrive as the server sent them: the SDK drops what its schemas do not know,
 * changes some error codes, and looks at each message half a dozen times.
 */
export class RequestLane {
  readonly #transport: HoldingTransport;
  readonly #options: RequestLaneOptions;
  readonly #pending = new Map<number, Pending>();
  #lastId = firstId - 1;
  #lastHeardAt = performance.now();
  readonly #end = new AbortController();

  /** @param transport - Of a connected client. Its `onmessage` is taken over. */
  constructor(transport: HoldingTransport, options: RequestLaneOptions) {
    this.#transport = transport;
    this.#options = options;
    const toClient = transport.onmessage;
    transport.onmessage = (message, extra) => {
      this.#lastHeardAt = performance.now();
      if (!this.#take(message as unknown as RawMessage)) toClient?.(message, extra);
    };
  }

  /** Aborts when the connection has ended, with the reason that `close` was given. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** When the last message came, by `performance.now()`. */
  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  /**
   * Resolves with the result as it came. Rejects with a `ProtocolError`, or with what the transport failed with. When
   * `signal` aborts, the server is told, and the promise rejects with the signal's reason.
   */
  request(method: string, params: Params, { signal, headers, host }: RawRequestOptions): Promise<RawResult> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.ended.aborted) return Promise.reject(new SdkError(SdkErrorCode.NotConnected, 'Not connected'));
    this.#lastId = this.#lastId === lastId ? firstId : this.#lastId + 1;
    const id = this.#lastId;
    // Over HTTP a later server takes the end of the request's own stream as its cancellation.
    const hasStream = this.#options.envelope() !== undefined && this.#transport.hasPerRequestStream === true;
    const stream = hasStream ? new AbortController() : undefined;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#pending.delete(id);
        ignoreSignal();
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
      };
      const cancel = (): void => {
        fail(signal.reason);
        if (stream) stream.abort();
        else this.#tellCancelled(id, signal.reason);
      };
      const pending: Pending = {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: fail,
        host,
        isList: method.endsWith('/list'),
      };
      this.#pending.set(id, pending);
      const ignoreSignal = onAbort(signal, cancel);
      const whole = { ...(headers && { headers }), ...(stream && { requestSignal: stream.signal }) };
      this.#send({ id, method, params }, whole).catch(fail);
    });
  }

  /** Rejects when the message cannot be handed over. */
  async notify(method: string, params: Params): Promise<void> {
    await this.#send({ method, params });
  }

  /** To be called when the connection has ended. */
  close(reason: unknown): void {
    for (const [id, { reject }] of [...this.#pending]) {
      const isSent = !this.#transport.holds?.(id);
      const code = isSent ? SdkErrorCode.ConnectionClosed : SdkErrorCode.NotConnected;
      reject(new SdkError(code, isSent ? 'Connection closed' : 'Not connected'));
    }
    this.#end.abort(reason);
  }

  async #send(
    { params, ...message }: { id?: number; method: string; params: Params },
    options?: TransportSendOptions,
  ): Promise<void> {
    const enveloped = { jsonrpc: '2.0', ...message, params: withEnvelope(params, this.#options.envelope()) };
    await this.#transport.send(enveloped as unknown as Parameters<Transport['send']>[0], options);
  }

  #originOf(id: unknown): RequestOrigin | undefined {
    const origin = this.#transport.takeOrigin?.(id);
    if (!origin) return undefined;
    if (origin.id === undefined) return 'gone'; // or whose it is cannot be told
    const about = Number(origin.id);
    const isOurs = about >= firstId && about <= lastId;
    return isOurs ? (this.#pending.get(about) ?? 'gone') : undefined;
  }

  #tellCancelled(requestId: number, reason: unknown): void {
    const params = { requestId, reason: reason instanceof Error ? reason.message : String(reason) };
    // A server that cannot be told has ended, or is about to.
    this.notify('notifications/cancelled', params).catch(() => undefined);
  }

  /** @returns Whether the message was for us. */
  #take(message: RawMessage): boolean {
    const { id, method } = message;
    if (typeof method === 'string') {
      if (isTooDeep(message.params)) return true; // it can be passed on to nobody
      if (id === undefined) return this.#options.onNotification(method, isRecord(message.params) ? message.params : {});
      this.#options.onRequest({ ...message, method }, this.#originOf(id));
      return false;
    }
    const number = numberOfId(id);
    const pending = number === undefined ? undefined : this.#pending.get(number);
    if (!pending) return number !== undefined && number >= firstId && number <= lastId; // given up: nobody waits for it
    if (isTooDeep(pending.isList ? message.error : message)) {
      pending.reject(errorOf({ error: tooDeepError() }));
      return true;
    }
    if (!isRecord(message.result)) {
      pending.reject(errorOf(message));
      return true;
    }
    this.#options.onResult(message.result, pending.host);
    pending.resolve(message.result);
    return true;
  }
}

function withEnvelope(params: Params, envelope: Params | undefined): Params {
  return envelope ? { ...params, _meta: { ...envelope, ...(params._meta as Params | undefined) } } : params;
}

function errorOf({ error }: RawMessage): ProtocolError {
  const { code, message, data } = isRecord(error) ? error : {};
  return new ProtocolError(
    typeof code === 'number' ? code : malformedAnswerCode,
    typeof message === 'string' ? message : 'The answer has neither a result nor an error',
    data,
  );
}
