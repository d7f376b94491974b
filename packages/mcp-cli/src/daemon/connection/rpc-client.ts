import type { Socket } from 'node:net';
import { onAbort } from '@x/internal/async';
import type { HandleServerRequest } from '../../control/control.js';
import { ControlError, controlErrorFrom } from '../../control/control-error.js';
import { monotonicMs } from '../system-process.js';
import type { LineConnection } from './line-connection.js';
import { maxRequestBytes, maxResponseBytes, type RpcCancel, type RpcHeartbeat, type RpcRequest } from './protocol.js';
import { ReceivedServerRequests } from './rpc-server-requests.js';

/** Milliseconds of silence until a ping, and until the connection is closed. */
const pingAfterMs = 4_000;
const giveUpAfterMs = 20_000;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called for each item before the response. */
  readonly onItem?: ((item: unknown) => void) | undefined;
  /** Handles server requests before the response. Default: refuses them. */
  readonly onServerRequest?: HandleServerRequest | undefined;
  /** Error if the connection ends before the response. Default: that end, which is retryable. */
  readonly lost?: ((end: ControlError) => ControlError) | undefined;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onItem: RequestOptions['onItem'];
  readonly serverRequests: ReceivedServerRequests;
  readonly lost: (end: ControlError) => ControlError;
}

/** Sends requests over one authenticated connection. */
export class RpcClient {
  readonly #connection: LineConnection;
  readonly #onNotice: ((text: string) => void) | undefined;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #heartbeat: NodeJS.Timeout | undefined;
  #receivedAt = monotonicMs();
  #isPaused = false;
  #end: ControlError | undefined;

  /** @param onNotice - Receives lines for the user. */
  constructor(connection: LineConnection, onNotice?: (text: string) => void) {
    this.#connection = connection;
    this.#onNotice = onNotice;
    connection.expect({ maxLineBytes: maxResponseBytes, onMessage: (message) => this.#receive(message) });
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /**
   * @throws {ControlError} The daemon's error, `daemon-lost`, `daemon-unreachable`, `message-too-large`; or the
   * signal's reason.
   */
  request(method: string, params: object, options: RequestOptions = {}): Promise<unknown> {
    return this.#request(method, params, options);
  }

  /** @param onResult - Called before anything behind the response is read. */
  #request(
    method: string,
    params: object,
    { signal, onItem, onServerRequest, lost = (end) => end }: RequestOptions,
    onResult?: () => void,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#end) throw this.#end; // the caller may reconnect, because nothing was sent
    const id = this.#nextId++;
    const json = JSON.stringify({ jsonrpc: '2.0', id, method, params } satisfies RpcRequest);
    if (Buffer.byteLength(json) > maxRequestBytes) {
      throw new ControlError('message-too-large', `The request "${method}" is larger than ${maxRequestBytes} bytes.`, {
        hint: 'Send less data, such as the path of a file instead of its content.',
      });
    }
    const serverRequests = new ReceivedServerRequests(this.#connection, id, onServerRequest);
    return new Promise((resolve, reject) => {
      const settled = (): void => {
        ignore?.();
        serverRequests.end();
        this.#pending.delete(id);
        this.#updateHeartbeat();
      };
      const cancel = (): void => {
        settled();
        this.#connection.send({ jsonrpc: '2.0', method: '$/cancel', params: { id } } satisfies RpcCancel);
        reject(signal?.reason);
      };
      const ignore = signal && onAbort(signal, cancel);
      this.#pending.set(id, {
        resolve: (result) => {
          settled();
          onResult?.();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        onItem,
        serverRequests,
        lost,
      });
      this.#updateHeartbeat();
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
    this.#receivedAt = monotonicMs();
    this.#connection.resume();
  }

  close(): void {
    this.#connection.close();
  }

  /**
   * Sends a last request. After its response, the socket belongs to the caller, paused, with all further bytes.
   *
   * @throws {ControlError} as `request`.
   */
  requestSocket(method: string, params: object, options: Pick<RequestOptions, 'signal'>): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const detach = (): void => {
        this.#end ??= daemonLost();
        resolve(this.#connection.detach());
      };
      this.#request(method, params, options, detach).catch(reject);
    });
  }

  /** Called when the connection has closed. */
  closed(problem?: string): void {
    const end = this.#end ?? (problem === undefined ? daemonLost() : connectionClosed(problem));
    this.#end = end;
    for (const { reject, lost } of [...this.#pending.values()]) reject(lost(end));
    this.#updateHeartbeat();
  }

  #receive(message: unknown): void {
    this.#receivedAt = monotonicMs();
    const { id, result, error, method, params } = (message ?? {}) as Record<string, unknown>;
    if (typeof method === 'string') {
      this.#receiveNotification(method, (params ?? {}) as Record<string, unknown>);
      return;
    }
    const pending = this.#pending.get(id as number);
    if (!pending) return; // the response to a cancelled request
    if (error === undefined) pending.resolve(result);
    else pending.reject(controlErrorFrom((error as { readonly data?: unknown }).data));
  }

  #receiveNotification(method: string, params: Readonly<Record<string, unknown>>): void {
    const pending = this.#pending.get(params.id as number);
    if (method === '$/item') pending?.onItem?.(params.item);
    else if (method === '$/ask') void pending?.serverRequests.receive(params);
    else if (method === '$/withdraw') pending?.serverRequests.withdraw(params);
    else if (method === '$/notice') this.#onNotice?.(String(params.text));
  }

  /** Pings while a response is pending, because a suspended daemon keeps its socket open. */
  #updateHeartbeat(): void {
    if (this.#pending.size > 0 && this.#heartbeat === undefined && !this.#end) {
      this.#receivedAt = monotonicMs();
      this.#heartbeat = setInterval(() => this.#ping(), pingAfterMs);
    } else if (this.#pending.size === 0 || this.#end) {
      clearInterval(this.#heartbeat);
      this.#heartbeat = undefined;
    }
  }

  #ping(): void {
    if (this.#isPaused) return; // this side does not read
    const silentMs = monotonicMs() - this.#receivedAt;
    if (silentMs > giveUpAfterMs) this.#connection.close(`it has sent nothing for ${giveUpAfterMs} ms`);
    else if (silentMs >= pingAfterMs)
      this.#connection.send({ jsonrpc: '2.0', method: '$/ping' } satisfies RpcHeartbeat);
  }
}

export function daemonLost(): ControlError {
  return new ControlError('daemon-lost', 'The daemon ended before it responded.', {
    hint: 'Run the command again. "mcpx daemon logs" shows why the daemon ended.',
    retryable: true,
  });
}

function connectionClosed(problem: string): ControlError {
  return new ControlError('daemon-unreachable', `The connection to the daemon was closed: ${problem}.`, {
    hint: 'Run "mcpx down" and then "mcpx up" if this happens again.',
    retryable: true,
  });
}
