import { lostHalfway, requestError } from './call-error.js';
import type { HostRequests } from './host-requests.js';
import type { HostUnderWay } from './host-under-way.js';
import { untilComplete } from './input-required.js';
import type { ProgressListeners } from './progress-listeners.js';
import type { Params, RawResult, RequestLane } from './request-lane.js';
import { requestMeta } from './request-meta.js';
import type { SessionFacts, SessionRequestOptions } from './session.js';

export interface ExchangeOptions {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly lane: RequestLane;
  readonly host: HostRequests;
  readonly progress: ProgressListeners;
}

export interface ExchangeRequest extends Omit<SessionRequestOptions, 'host'> {
  /** Whom it is made for. */
  readonly host?: HostUnderWay | undefined;
  /** What people call the request. Default: its method. */
  readonly what?: string;
  /** Goes along with it over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Requests and their results, with all that may happen in between: progress, and what the server needs of the host. */
export class Exchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Aborts with a `SessionLostError` when the connection has ended. */
  get ended(): AbortSignal {
    return this.#options.lane.ended;
  }

  /** Rejects with the signal's reason, with a `SessionLostError` or with a `ManagerError`. */
  async send(
    method: string,
    params: Params,
    { signal, onProgress, meta, inputRequired = 'answer', what = `"${method}"`, headers, host }: ExchangeRequest,
  ): Promise<RawResult> {
    const { server, facts, lane, host: requests, progress } = this.#options;
    const listening = onProgress && progress.add(onProgress);
    const caller = host?.host;
    const clientCapabilities = facts.era === 'modern' ? caller?.capabilities : undefined;
    const { _meta } = requestMeta({ meta, progressToken: listening?.token, clientCapabilities });
    const whole = _meta ? { ...params, _meta: { ...(params._meta as Params | undefined), ..._meta } } : params;
    let hasBegun = false;
    const once = async (each: Params): Promise<RawResult> => {
      const result = await lane.request(method, each, { signal, headers, host });
      hasBegun = true;
      requests.underWay.tasks.answered(method, each, result);
      return result;
    };
    const mayNeedInput = facts.era === 'modern' && inputRequired === 'answer';
    try {
      return await (mayNeedInput
        ? untilComplete({ server, what, params: whole, signal, host: requests, caller, send: once })
        : once(whole));
    } catch (error) {
      signal.throwIfAborted();
      const failure = requestError(error, { server, what });
      throw hasBegun ? lostHalfway(failure) : failure;
    } finally {
      listening?.remove();
    }
  }
}
