import type { RpcError } from '@x/internal/contracts';
import type { HostUnderWay } from './host-under-way.js';
import type { Params, RawResult } from './json-rpc.js';

/**
 * One request on a connection, from its id to its one outcome. The peer sets the fields and calls the methods; of the last
 * five it calls exactly one, unless the request is cancelled.
 */
export abstract class PeerRequest {
  abstract readonly method: string;
  id = 0;
  /** Whether the server may have it. Stays `true` after the outcome. */
  isSent = false;
  /** The line to be written, on a channel of lines. Empty once it is written or withdrawn. */
  line = '';
  /** Ends the request's own stream, where a transport has one for each request. */
  stream: AbortController | undefined;

  /** For whom it is made, once it is sent. */
  abstract readonly host: HostUnderWay | undefined;

  /** Sent along as HTTP headers. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return undefined;
  }

  /** `params` of the request. @param id - The request's id, which is also the token of its progress. */
  abstract paramsFor(id: number): Params;

  /** The server may have it from now on. */
  abstract onSent(): void;

  /** Fields of one `notifications/progress` about this request. */
  onProgress(_params: Params): void {}

  abstract onResult(result: RawResult): void;
  abstract onRefused(error: RpcError): void;
  /** The connection ended first. `isSent` says whether the server may have the request. */
  abstract onLost(): void;
  /** The transport could not deliver it, for a reason of its own. */
  abstract onUndelivered(error: unknown): void;
}
