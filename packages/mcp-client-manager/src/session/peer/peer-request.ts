import type { RpcError } from '@x/internal/contracts';
import type { ActiveCaller } from '../server-requests/active-caller.js';
import type { Params, RawResult } from './json-rpc.js';

/**
 * One request on a connection. The peer sets the fields and calls the methods. It calls exactly one of `onResult`,
 * `onRefused`, `onLost` and `onUndelivered`, or none if the request is cancelled.
 */
export abstract class PeerRequest {
  abstract readonly method: string;
  id = 0;
  /** `true` once the server may have received the request. Stays `true` after the outcome. */
  isSent = false;
  /** JSON line, on channels of lines. Empty once written or withdrawn. */
  line = '';
  /** Ends the request's own stream, on transports with a stream per request. */
  stream: AbortController | undefined;

  /** Set once the request is sent. */
  abstract readonly caller: ActiveCaller | undefined;

  /** HTTP headers. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return undefined;
  }

  /** `params` of the request. @param id - The request's id, which is also the token of its progress. */
  abstract paramsFor(id: number): Params;

  /** Called before the request is written. */
  abstract onSent(): void;

  /** Receives the params of one `notifications/progress`. */
  onProgress(_params: Params): void {}

  abstract onResult(result: RawResult): void;
  abstract onRefused(error: RpcError): void;
  /** The connection closed first. `isSent` says whether the server may have the request. */
  abstract onLost(): void;
  /** The transport failed to deliver the request. */
  abstract onUndelivered(error: unknown): void;
}
