import type { RpcError } from '@x/internal/contracts';
import type { ActiveCaller } from '../server-requests/active-caller.js';
import type { Params, RawResult } from './json-rpc.js';

/**
 * One request on a connection. The peer calls exactly one of `onResult`, `onRefused`, `onLost` and `onUndelivered`, or
 * none if the request is cancelled.
 */
export abstract class PeerRequest {
  abstract readonly method: string;
  id = 0;
  /** `true` once the server may have received it. */
  isSent = false;
  /** On channels of lines. Empty once written or withdrawn. */
  line = '';
  stream: AbortController | undefined;
  /** On channels with a stream per request. */
  lastEventId: string | undefined;
  /** True from the end of the stream until it is resumed. */
  isStreamEnded = false;

  /** Set once the request is sent. */
  abstract readonly caller: ActiveCaller | undefined;

  get headers(): Readonly<Record<string, string>> | undefined {
    return undefined;
  }

  /** @param id - Also the token of the request's progress. */
  abstract paramsFor(id: number): Params;

  abstract onSent(): void;

  /** Receives the params of one `notifications/progress`. */
  onProgress(_params: Params): void {}

  /** The server has ended the stream before the response, and the stream is being resumed. */
  onPaused(): void {}

  abstract onResult(result: RawResult): void;
  abstract onRefused(error: RpcError): void;
  /** The connection closed first. `isSent` says whether the server may have the request. */
  abstract onLost(): void;
  abstract onUndelivered(error: unknown): void;
}
