import { onAbort, unlessAborted, within } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { isManagerError } from '../errors.js';
import { asItIs } from '../redaction.js';
import type { MessageChannel } from '../transport/message-channel.js';
import { type ExplainFailure, isLoss, lostBeforeSending, lostInFlight, requestError } from './call-error.js';
import { readCallParams } from './call-params.js';
import { ChangeStream } from './change-stream.js';
import { asksForNothing, Exchange, type ExchangeContext, exchangePart } from './exchange.js';
import { envelopeOf } from './handshake.js';
import { inBackground } from './in-background.js';
import type { InFlightRequest, Wanted } from './in-flight.js';
import type { Params, RawResult } from './json-rpc.js';
import { type FetchPage, listPages, type PagedListing } from './list-pages.js';
import { listTools } from './list-tools.js';
import { modernWay } from './modern-requests.js';
import type { OpenSessionOptions } from './open-session-options.js';
import type { PeerParts } from './peer-parts.js';
import { logLevelKey } from './protocol.js';
import { requireCapability } from './required-capability.js';
import { listKinds, type ServerLists } from './server-lists.js';
import type {
  OutgoingRequest,
  RequestHandle,
  Session,
  SessionCallOptions,
  SessionFacts,
  SessionRequestOptions,
  ToolCallResult,
  ToolListing,
} from './session.js';
import type { ServerList } from './session-listeners.js';
import { ToolCalls } from './tool-calls.js';

/** How long a list waits for the server to watch over it first, in milliseconds, so that it is not asked for twice. */
const watchFirstMs = 250;

export interface PeerSessionOptions
  extends Pick<OpenSessionOptions, 'server' | 'clientInfo' | 'validateOutput' | 'redact'> {
  readonly facts: SessionFacts;
  readonly channel: MessageChannel;
  /** What requests failed with in words of the transport. Default: it has none of its own. */
  readonly explain?: ExplainFailure | undefined;
  /** When the server was heard last beside the channel, by `performance.now()`. Default: never. */
  readonly lastHeardElsewhereAt?: (() => number) | undefined;
  readonly end?: SessionEnd | undefined;
}

/** How a session ends that outlives its transport, or does more at its end than to let go of it. */
export interface SessionEnd {
  /** Whether no further request may go there. Answers on their way may still arrive. */
  readonly isLost: boolean;
  readonly cause: Error | undefined;
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

/** A session on a peer that has shaken hands. */
export class PeerSession implements Session {
  readonly facts: SessionFacts;
  readonly closed: Promise<void>;
  readonly #parts: PeerParts;
  readonly #options: PeerSessionOptions;
  readonly #isModern: boolean;
  /** Whether calls repeat arguments as headers: over Streamable HTTP, from revision 2026-07-28 on. */
  readonly #repeatsArguments: boolean;
  readonly #context: ExchangeContext;
  readonly #tools: ToolCalls;
  /** Settles when the server sends changes, or will not for now. `undefined`: it sends them all along. */
  readonly #watching: Promise<void> | undefined;
  readonly #asked = new Set<ServerList>();
  #logLevel: unknown;
  #isCancelled = false;

  constructor(parts: PeerParts, options: PeerSessionOptions) {
    const { peer, inFlight, answers } = parts;
    const { server, facts, channel, validateOutput, redact = asItIs, explain = requestError, end } = options;
    this.facts = facts;
    this.#parts = parts;
    this.#options = options;
    this.#isModern = facts.era === 'modern';
    this.#repeatsArguments = this.#isModern && 'hasPerRequestStream' in channel && channel.hasPerRequestStream;
    this.#tools = new ToolCalls({ server, facts, validateOutput, repeatsArguments: this.#repeatsArguments, redact });
    this.#context = {
      server,
      facts,
      peer,
      inFlight,
      answers,
      explain,
      read: (request, result) => (request.method === 'tools/call' ? this.#tools.read(request, result) : result),
      headersOf: ({ method, params }) => (method === 'tools/call' ? this.#tools.headersOf(params) : undefined),
    };
    parts.agreed(facts.protocolVersion);
    peer.agreed({ envelope: this.#isModern ? this.#envelope() : undefined, takesRequests: !this.#isModern });
    this.#watching = this.#isModern ? this.#watch() : undefined;
    this.closed = end ? Promise.race([peer.closed, end.lost]) : peer.closed;
  }

  get isOpen(): boolean {
    return this.#parts.peer.isOpen && !this.#isCancelled && this.#options.end?.isLost !== true;
  }

  get callsInFlight(): number {
    return this.#parts.inFlight.count;
  }

  get lastHeardAt(): number {
    return this.#parts.peer.lastHeardAt;
  }

  get lastByteAt(): number {
    return Math.max(this.#parts.peer.lastByteAt, this.#options.lastHeardElsewhereAt?.() ?? 0);
  }

  get outputProblems(): readonly string[] {
    return this.#tools.outputProblems;
  }

  get endCause(): Error | undefined {
    return this.#options.end?.cause;
  }

  send(request: OutgoingRequest): RequestHandle {
    const { method, params } = request;
    if (method === 'tools/call') {
      if (!this.#tools.needsTask(params)) return new Exchange(this.#context, request);
      return this.#inBackground(request, async (part) =>
        this.#tools.read(request, await this.#tools.callAsTask(request, part, this.#context)),
      );
    }
    if (method === 'initialize') throw new TypeError('"initialize" is the session\'s own request');
    requireCapability(method, { facts: this.facts, server: this.#options.server });
    if (!this.#isModern || !modernWay.has(method)) return new Exchange(this.#context, request);
    return this.#inBackground(request, (part) => this.#modernWay(method, params, part));
  }

  callTool(tool: string, args: Params, options: SessionCallOptions): Promise<ToolCallResult> {
    const { params, ...how } = options;
    const whole = { ...params, name: tool, arguments: args };
    return this.#ask('tools/call', whole, `the call of "${tool}"`, how) as Promise<RawResult & ToolCallResult>;
  }

  async request(method: string, params: Params, how: SessionRequestOptions): Promise<RawResult> {
    if (method !== 'tools/call') return this.#ask(method, params, `"${method}"`, how);
    requireCapability(method, { facts: this.facts, server: this.#options.server });
    const { tool, args, meta, others } = readCallParams(params);
    return this.callTool(tool, args, { ...how, meta: meta ? { ...meta, ...how.meta } : how.meta, params: others });
  }

  async listTools({ signal, maxTools }: { signal: AbortSignal; maxTools?: number }): Promise<ToolListing> {
    if (!this.facts.capabilities.tools) return { tools: [], completeness: 'complete', problems: [] };
    await this.#beforeListing('tools');
    const listing = await listTools(this.#pagesOf('tools/list', { signal, host: undefined }), {
      signal,
      maxTools,
      repeatsArguments: this.#repeatsArguments,
      redact: this.#options.redact,
    });
    if (listing.completeness !== 'unavailable') await this.#tools.learn(listing.tools);
    return listing;
  }

  listAll<Method extends keyof ServerLists>(method: Method, how: Wanted): Promise<PagedListing<ServerLists[Method]>> {
    const work = async (part: InFlightRequest): Promise<PagedListing<ServerLists[Method]>> => {
      const { server, redact } = this.#options;
      requireCapability(method, { facts: this.facts, server });
      await this.#beforeListing(method === 'prompts/list' ? 'prompts' : 'resources');
      const { signal } = part;
      const kind = listKinds[method];
      return listPages(this.#pagesOf(method, part), { kind, signal, isFatal: isLoss, redact });
    };
    return this.#parts.inFlight.during(how, work, { mayBeAsked: false });
  }

  async notify(method: string, params: Params): Promise<void> {
    if (this.isOpen) await this.#parts.peer.notify(method, params);
  }

  async notifyRootsChanged(): Promise<void> {
    const { roots } = this.#parts.answers.capabilities;
    const tellsOfRoots = isRecord(roots) && roots.listChanged === true;
    if (!this.#isModern && tellsOfRoots) await this.notify('notifications/roots/list_changed', {});
  }

  async checkAlive({ signal }: { signal: AbortSignal }): Promise<void> {
    try {
      const method = this.#isModern ? 'server/discover' : 'ping';
      await exchangePart(this.#context, { method, params: {}, signal, host: undefined });
    } catch (error) {
      // An error answer is an answer: the server lives.
      if (!isManagerError(error) || error.rpc === undefined) throw error;
    }
  }

  cancelAll(): void {
    this.#isCancelled = true;
    this.#parts.inFlight.giveUpAll(lostInFlight());
    this.#parts.peer.cancelAll(lostInFlight());
  }

  async close(): Promise<void> {
    await this.#options.end?.close();
    this.#parts.peer.close();
  }

  /** `send` for those who wait for a promise. */
  async #ask(
    method: string,
    params: Params,
    what: string,
    { signal, onProgress, meta, inputRequired, host }: SessionRequestOptions,
  ): Promise<RawResult> {
    signal.throwIfAborted();
    let ignoreSignal: () => void = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        const handle = this.send({
          method,
          params,
          what,
          meta,
          wantsProgress: onProgress !== undefined,
          inputRequired,
          host,
          onProgress: (progress) => onProgress?.(progress),
          onResult: resolve,
          onFailure: reject,
        });
        ignoreSignal = onAbort(signal, () => {
          handle.cancel(signal.reason);
          reject(signal.reason);
        });
      });
    } finally {
      ignoreSignal();
    }
  }

  #inBackground(request: OutgoingRequest, work: (part: InFlightRequest) => Promise<RawResult>): RequestHandle {
    if (!this.#parts.peer.isOpen) throw lostBeforeSending();
    const { host, method } = request;
    const options = { mayBeAsked: !asksForNothing(method) };
    return inBackground(request, (signal) => this.#parts.inFlight.during({ signal, host }, work, options));
  }

  async #modernWay(method: string, params: Params, { signal }: InFlightRequest): Promise<RawResult> {
    const ways = {
      changes: this.#parts.changes as ChangeStream,
      discover: () => this.checkAlive({ signal }),
      setLogLevel: (level: unknown) => {
        this.#logLevel = level;
      },
    };
    try {
      await unlessAborted(modernWay.get(method)?.(ways, params), signal);
      return {};
    } catch (error) {
      signal.throwIfAborted();
      throw this.#context.explain(error, { server: this.#options.server, what: `"${method}"` });
    }
  }

  #envelope(): () => Params {
    const { clientInfo } = this.#options;
    const envelope = envelopeOf({ clientInfo, capabilities: this.#parts.answers.capabilities });
    return () => (this.#logLevel === undefined ? envelope : { ...envelope, [logLevelKey]: this.#logLevel });
  }

  #watch(): Promise<void> {
    const { peer } = this.#parts;
    const changes = new ChangeStream({
      peer,
      capabilities: this.facts.capabilities,
      onWatched: (lists) => this.#watched(lists),
    });
    this.#parts.changes = changes;
    return changes.open();
  }

  #pagesOf(method: string, { signal, host }: InFlightRequest): FetchPage {
    return (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      return exchangePart(this.#context, { method, params, signal, host });
    };
  }

  async #beforeListing(list: ServerList): Promise<void> {
    if (this.#watching) await within(this.#watching, watchFirstMs);
    this.#asked.add(list);
  }

  /** What changed between the answer to an earlier question and now was not told. */
  #watched(lists: readonly ServerList[]): void {
    for (const list of lists) if (this.#asked.has(list)) this.#parts.notifications.listChanged(list);
  }
}
