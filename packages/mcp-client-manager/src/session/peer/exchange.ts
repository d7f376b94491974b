import { onAbort } from '@x/internal/async';
import type { Operation, RpcError } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { clientCapabilitiesKey } from '../protocol.js';
import type { ActiveCaller, CallEnd } from '../server-requests/active-caller.js';
import { completeInput } from '../server-requests/input-required.js';
import type { ServerRequestRouter } from '../server-requests/server-request-router.js';
import type { OutgoingRequest, RequestHandle, SessionFacts, ToolProgress } from '../session.js';
import type { InFlight } from './in-flight.js';
import type { Params, RawResult } from './json-rpc.js';
import type { Peer } from './peer.js';
import { PeerRequest } from './peer-request.js';
import { type ExplainFailure, lostBeforeSending, lostHalfway, lostInFlight, refusedRequest } from './request-error.js';

export interface ExchangeContext {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly peer: Peer;
  readonly inFlight: InFlight;
  readonly serverRequests: ServerRequestRouter;
  readonly explain: ExplainFailure;
  /** @returns The value for the caller. @throws If the result is invalid. */
  read(request: OutgoingRequest, result: RawResult): RawResult;
  headersOf(request: OutgoingRequest): Readonly<Record<string, string>> | undefined;
}

/** One request and its result. From revision 2026-07-28 on, the server may ask for input first. */
export class Exchange extends PeerRequest implements RequestHandle {
  readonly #context: ExchangeContext;
  readonly #request: OutgoingRequest;
  /** A larger operation is counted once as a whole. */
  readonly #isPart: boolean;
  readonly #mayCauseRequests: boolean;
  #caller: ActiveCaller | undefined;
  #state: 'open' | 'counted' | 'over' = 'open';
  #rounds: AbortController | undefined;
  readonly #own: Operation | undefined;

  /**
   * @param part - Set for a part of a larger operation.
   * @throws As `Peer.send`.
   */
  constructor(
    context: ExchangeContext,
    request: OutgoingRequest,
    part?: { readonly caller: ActiveCaller | undefined } | undefined,
  ) {
    super();
    this.#context = context;
    this.#request = request;
    this.#isPart = part !== undefined;
    this.#caller = part?.caller;
    this.#mayCauseRequests = !causesNoServerRequests(request.method);
    const { method, params, meta, operation } = request;
    this.#own = operation ? undefined : context.peer.observer?.begin(method, params, meta);
    context.peer.send(this);
  }

  get method(): string {
    return this.#request.method;
  }

  get caller(): ActiveCaller | undefined {
    return this.#caller;
  }

  override get headers(): Readonly<Record<string, string>> | undefined {
    const headers = this.#context.headersOf(this.#request);
    return this.#operation ? { ...this.#operation.headers, ...headers } : headers;
  }

  get #operation(): Operation | undefined {
    return this.#own ?? this.#request.operation;
  }

  paramsFor(id: number): Params {
    const { params, wantsProgress, handler } = this.#request;
    const meta = this.#own ? this.#own.meta : this.#request.meta;
    const { envelope } = this.#context.peer;
    if (!envelope && !wantsProgress) {
      if (!meta) return params;
      if (params._meta === undefined) return { ...params, _meta: meta }; // each spread below takes time of every traced call
    }
    const capabilities = envelope && (handler ?? this.#caller?.handler)?.capabilities;
    return {
      ...params,
      _meta: {
        ...envelope,
        ...(params._meta as Params | undefined),
        ...meta,
        ...(wantsProgress && { progressToken: id }),
        ...(capabilities && { [clientCapabilitiesKey]: capabilities }),
      },
    };
  }

  /** No callback follows. */
  cancel(reason: unknown): void {
    if (this.#state === 'over') return;
    this.#context.peer.cancel(this, reason);
    this.#rounds?.abort(reason);
    this.#own?.end({ error: reason });
    this.#end('abandoned');
  }

  onSent(): void {
    const { observer } = this.#context.peer;
    if (observer) this.#operation?.sent(this.id, observer.peer);
    if (this.#isPart) return;
    this.#state = 'counted';
    this.#caller = this.#context.inFlight.begin(this.#request.handler, this.#mayCauseRequests);
  }

  override onProgress(params: Params): void {
    if (this.#request.wantsProgress) passProgress(params, this.#request);
  }

  override onPaused(): void {
    const { handler } = this.#request;
    if (handler) callListener('handler.onStreamPause', () => handler.onStreamPause?.());
  }

  onResult(result: RawResult): void {
    const { facts, serverRequests } = this.#context;
    const { tasks } = serverRequests.callers;
    const isModern = facts.era === 'modern';
    if (!isModern && result.task !== undefined) tasks.onResult(result, this.#caller);
    if (this.method.startsWith('tasks/')) tasks.onTaskResult(this.method, this.#request.params, result);
    const needsInput = isModern && result.resultType === 'input_required' && this.#request.inputRequired !== 'return';
    if (needsInput) void this.#completeInput(result);
    else this.#succeed(result);
  }

  onRefused(error: RpcError): void {
    this.#fail(refusedRequest(error, { server: this.#context.server, what: this.#request.what }));
  }

  onLost(): void {
    this.#fail(this.isSent ? lostInFlight() : lostBeforeSending());
  }

  onUndelivered(error: unknown): void {
    this.#fail(this.#explain(error));
  }

  #succeed(result: RawResult): void {
    this.#end('answered');
    this.#own?.end({ result });
    let read: RawResult;
    try {
      read = this.#isPart ? result : this.#context.read(this.#request, result);
    } catch (error) {
      this.#request.onFailure(error);
      return;
    }
    this.#request.onResult(read);
  }

  #fail(error: unknown): void {
    this.#end('answered');
    this.#own?.end({ error });
    this.#request.onFailure(error);
  }

  async #completeInput(first: RawResult): Promise<void> {
    const { server, inFlight, serverRequests } = this.#context;
    const rounds = new AbortController();
    this.#rounds = rounds;
    const ignoreCancelAll = this.#isPart ? undefined : inFlight.onCancelAll((reason) => rounds.abort(reason));
    const { method, params, what, meta, wantsProgress, handler } = this.#request;
    const onProgress = wantsProgress ? this.#request.onProgress.bind(this.#request) : undefined;
    const { signal } = rounds;
    const again = { method, what, meta, onProgress, signal, inputRequired: 'return', caller: this.#caller } as const;
    const send = (next: Params): Promise<RawResult> => exchangePart(this.#context, { ...again, params: next });
    try {
      const result = await completeInput(first, { server, what, params, signal, serverRequests, handler, send });
      if (this.#state !== 'over') this.#succeed(result);
    } catch (error) {
      if (this.#state !== 'over') this.#fail(lostHalfway(this.#explain(error)));
    } finally {
      ignoreCancelAll?.();
    }
  }

  #explain(error: unknown): Error {
    const { server, explain } = this.#context;
    return explain(error, { server, what: this.#request.what });
  }

  #end(how: CallEnd): void {
    const wasCounted = this.#state === 'counted';
    this.#state = 'over';
    if (wasCounted) this.#context.inFlight.end(this.#caller, this.#mayCauseRequests, how);
  }
}

interface ExchangePart {
  readonly method: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly caller: ActiveCaller | undefined;
  /** Name in messages. Default: the method. */
  readonly what?: string;
  readonly meta?: Params | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly inputRequired?: 'answer' | 'return' | undefined;
}

/** Rejects with a mapped error, or with the signal's reason. */
export async function exchangePart(context: ExchangeContext, part: ExchangePart): Promise<RawResult> {
  const { method, params, signal, caller, what = `"${method}"`, meta, onProgress, inputRequired } = part;
  signal.throwIfAborted();
  let ignoreSignal: () => void = () => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const request: OutgoingRequest = {
        method,
        params,
        what,
        meta,
        wantsProgress: onProgress !== undefined,
        inputRequired,
        handler: caller?.handler,
        onProgress: (progress) => onProgress?.(progress),
        onResult: resolve,
        onFailure: reject,
      };
      const exchange = new Exchange(context, request, { caller });
      ignoreSignal = onAbort(signal, () => {
        exchange.cancel(signal.reason);
        reject(signal.reason);
      });
    });
  } finally {
    ignoreSignal();
  }
}

/**
 * Lists and health checks: most come from the manager itself, and a server request during one is about another request.
 */
export function causesNoServerRequests(method: string): boolean {
  return method === 'ping' || method.endsWith('/list');
}

/** Drops notifications without `progress`. */
export function passProgress(
  { progress, total, message }: Params,
  listener: { onProgress(progress: ToolProgress): void },
): void {
  if (typeof progress !== 'number') return;
  const update: ToolProgress = {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
  callListener('An onProgress listener', () => listener.onProgress(update));
}
