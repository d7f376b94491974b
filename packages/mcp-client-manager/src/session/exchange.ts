import { onAbort } from '@x/internal/async';
import type { RpcError } from '@x/internal/contracts';
import { type ExplainFailure, lostBeforeSending, lostHalfway, lostInFlight, refusedRequest } from './call-error.js';
import type { HostRequests } from './host-requests.js';
import type { HostUnderWay, HowItEnded } from './host-under-way.js';
import type { InFlight } from './in-flight.js';
import { completeInput } from './input-required.js';
import type { Params, RawResult } from './json-rpc.js';
import type { Peer } from './peer.js';
import { PeerRequest } from './peer-request.js';
import { passProgress } from './progress.js';
import { clientCapabilitiesKey } from './protocol.js';
import type { OutgoingRequest, RequestHandle, SessionFacts, ToolProgress } from './session.js';

/** What all requests of one session have in common. */
export interface ExchangeContext {
  readonly server: string;
  readonly facts: SessionFacts;
  readonly peer: Peer;
  readonly inFlight: InFlight;
  /** Answers what the server needs. */
  readonly answers: HostRequests;
  readonly explain: ExplainFailure;
  /** What callers get of a result. @throws Why it cannot be used. */
  read(request: OutgoingRequest, result: RawResult): RawResult;
  /** Sent along over HTTP. */
  headersOf(request: OutgoingRequest): Readonly<Record<string, string>> | undefined;
}

/**
 * One request and its result, with all that may happen in between: progress, cancellation, and from revision 2026-07-28 on
 * the rounds in which the server asks for something first.
 */
export class Exchange extends PeerRequest implements RequestHandle {
  readonly #context: ExchangeContext;
  readonly #request: OutgoingRequest;
  /** Whether this is a part of something that is counted as a whole. */
  readonly #isPart: boolean;
  readonly #mayBeAsked: boolean;
  #host: HostUnderWay | undefined;
  #state: 'open' | 'counted' | 'over' = 'open';
  /** Ends the rounds in which the server asks for something first. */
  #rounds: AbortController | undefined;

  /**
   * @param part - Of a whole that is counted by itself: for whom that is made.
   * @throws What `Peer.send` throws.
   */
  constructor(
    context: ExchangeContext,
    request: OutgoingRequest,
    part?: { readonly host: HostUnderWay | undefined } | undefined,
  ) {
    super();
    this.#context = context;
    this.#request = request;
    this.#isPart = part !== undefined;
    this.#host = part?.host;
    this.#mayBeAsked = !asksForNothing(request.method);
    context.peer.send(this);
  }

  get method(): string {
    return this.#request.method;
  }

  get host(): HostUnderWay | undefined {
    return this.#host;
  }

  override get headers(): Readonly<Record<string, string>> | undefined {
    return this.#context.headersOf(this.#request);
  }

  paramsFor(id: number): Params {
    const { params, meta, wantsProgress, host } = this.#request;
    const { envelope } = this.#context.peer;
    if (!envelope && !meta && !wantsProgress) return params;
    const capabilities = envelope && (host ?? this.#host?.host)?.capabilities;
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

  /** Gives the request up, and tells the server if it has it. Nothing is called any more. */
  cancel(reason: unknown): void {
    if (this.#state === 'over') return;
    this.#context.peer.cancel(this, reason);
    this.#rounds?.abort(reason);
    this.#end('given-up');
  }

  onSent(): void {
    if (this.#isPart) return;
    this.#state = 'counted';
    this.#host = this.#context.inFlight.begin(this.#request.host, this.#mayBeAsked);
  }

  override onProgress(params: Params): void {
    if (this.#request.wantsProgress) passProgress(params, this.#request);
  }

  onResult(result: RawResult): void {
    const { facts, answers } = this.#context;
    const { tasks } = answers.underWay;
    const isModern = facts.era === 'modern';
    if (!isModern && result.task !== undefined) tasks.made(result, this.#host);
    if (this.method.startsWith('tasks/')) tasks.answered(this.method, this.#request.params, result);
    const needsInput = isModern && result.resultType === 'input_required' && this.#request.inputRequired !== 'return';
    if (needsInput) void this.#giveInput(result);
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
    this.#request.onFailure(error);
  }

  async #giveInput(first: RawResult): Promise<void> {
    const { server, inFlight, answers } = this.#context;
    const rounds = new AbortController();
    this.#rounds = rounds;
    const ignoreGivingUp = this.#isPart ? undefined : inFlight.onGivingUp((reason) => rounds.abort(reason));
    const { method, params, what, meta, wantsProgress, host } = this.#request;
    const onProgress = wantsProgress ? this.#request.onProgress.bind(this.#request) : undefined;
    const { signal } = rounds;
    const again = { method, what, meta, onProgress, signal, inputRequired: 'return', host: this.#host } as const;
    const send = (next: Params): Promise<RawResult> => exchangePart(this.#context, { ...again, params: next });
    try {
      const result = await completeInput(first, { server, what, params, signal, answers, host, send });
      if (this.#state !== 'over') this.#succeed(result);
    } catch (error) {
      if (this.#state !== 'over') this.#fail(lostHalfway(this.#explain(error)));
    } finally {
      ignoreGivingUp?.();
    }
  }

  #explain(error: unknown): Error {
    const { server, explain } = this.#context;
    return explain(error, { server, what: this.#request.what });
  }

  #end(how: HowItEnded): void {
    const wasCounted = this.#state === 'counted';
    this.#state = 'over';
    if (wasCounted) this.#context.inFlight.end(this.#host, this.#mayBeAsked, how);
  }
}

export interface ExchangePart {
  readonly method: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  /** For whom the whole is made. */
  readonly host: HostUnderWay | undefined;
  /** How people call the whole. Default: the method. */
  readonly what?: string;
  readonly meta?: Params | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly inputRequired?: 'answer' | 'return' | undefined;
}

/** One request that is a part of something larger. Rejects with one of our own errors, or with the signal's reason. */
export async function exchangePart(context: ExchangeContext, part: ExchangePart): Promise<RawResult> {
  const { method, params, signal, host, what = `"${method}"`, meta, onProgress, inputRequired } = part;
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
        host: host?.host,
        onProgress: (progress) => onProgress?.(progress),
        onResult: resolve,
        onFailure: reject,
      };
      const exchange = new Exchange(context, request, { host });
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
 * Whether nobody is asked for anything because of it: lists and health checks are the manager's own as often as not, and what a
 * server asks while it has one is about something else.
 */
export function asksForNothing(method: string): boolean {
  return method === 'ping' || method.endsWith('/list');
}
