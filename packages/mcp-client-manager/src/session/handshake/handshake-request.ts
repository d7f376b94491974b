import { onAbort } from '@x/internal/async';
import type { Operation, RpcError } from '@x/internal/contracts';
import { JsonRpcError, type Params, type RawResult } from '../peer/json-rpc.js';
import type { Peer } from '../peer/peer.js';
import { PeerRequest } from '../peer/peer-request.js';
import { lostBeforeSending, lostInFlight } from '../peer/request-error.js';

/** Rejects with a `JsonRpcError`, a `SessionLostError`, the transport's failure, or the signal's reason. */
export async function sendHandshakeRequest(
  peer: Peer,
  method: string,
  params: Params,
  signal: AbortSignal,
): Promise<RawResult> {
  signal.throwIfAborted();
  let ignoreSignal: () => void = () => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const request = new HandshakeRequest(peer, method, params, {
        resolve: (result) => {
          request.operation?.end({ result });
          resolve(result);
        },
        reject: (error) => {
          request.operation?.end({ error });
          reject(error);
        },
      });
      ignoreSignal = onAbort(signal, () => {
        peer.drop(request); // the connection closes, so no cancellation is sent
        request.operation?.end({ error: signal.reason });
        reject(signal.reason);
      });
      peer.send(request);
    });
  } finally {
    ignoreSignal();
  }
}

class HandshakeRequest extends PeerRequest {
  readonly method: string;
  readonly caller = undefined;
  readonly operation: Operation | undefined;
  readonly #peer: Peer;
  readonly #params: Params;
  readonly #resolve: (result: RawResult) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    peer: Peer,
    method: string,
    params: Params,
    { resolve, reject }: { resolve: (result: RawResult) => void; reject: (error: unknown) => void },
  ) {
    super();
    this.method = method;
    this.operation = peer.observer?.begin(method, params);
    this.#peer = peer;
    this.#params = params;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  override get headers(): Readonly<Record<string, string>> | undefined {
    return this.operation?.headers;
  }

  paramsFor(): Params {
    const meta = this.operation?.meta;
    return meta === undefined
      ? this.#params
      : { ...this.#params, _meta: { ...(this.#params._meta as Params), ...meta } };
  }

  onSent(): void {
    const { observer } = this.#peer;
    if (observer) this.operation?.sent(this.id, observer.peer);
  }

  onResult(result: RawResult): void {
    this.#resolve(result);
  }

  onRefused({ code, message, data }: RpcError): void {
    this.#reject(new JsonRpcError(code, message, data));
  }

  onLost(): void {
    this.#reject(this.isSent ? lostInFlight() : lostBeforeSending());
  }

  onUndelivered(error: unknown): void {
    this.#reject(error);
  }
}
