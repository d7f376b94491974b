import { onAbort, unlessAborted, within } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { isManagerError } from '../errors.js';
import { noRedaction } from '../redaction.js';
import type { MessageChannel } from '../transport/message-channel.js';
import type { ConnectionServices, OpenSessionOptions } from './connection-services.js';
import { envelopeOf } from './handshake/handshake.js';
import { type FetchPage, listPages, type PagedListing } from './lists/list-pages.js';
import { listTools } from './lists/list-tools.js';
import { listKinds, type ServerLists } from './lists/server-lists.js';
import { modernReplacements, requireCapability } from './methods.js';
import { ChangeStream } from './notifications/change-stream.js';
import { causesNoServerRequests, Exchange, type ExchangeContext, exchangePart } from './peer/exchange.js';
import { inBackground, type Operation, type OperationOptions } from './peer/in-flight.js';
import { methodNotFound, type Params, type RawResult } from './peer/json-rpc.js';
import { type ExplainFailure, isLoss, lostBeforeSending, lostInFlight, requestError } from './peer/request-error.js';
import { logLevelKey } from './protocol.js';
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
import { readCallParams } from './tools/call-params.js';
import { ToolCalls } from './tools/tool-calls.js';

/** Time that a listing waits for the change stream, to avoid a second listing once it opens. */
const watchFirstMs = 250;

interface PeerSessionOptions extends Pick<OpenSessionOptions, 'server' | 'clientInfo' | 'validateOutput' | 'redact'> {
  readonly facts: SessionFacts;
  readonly channel: MessageChannel;
  readonly explain?: ExplainFailure | undefined;
  /** Time of the last stderr output, by `performance.now()`. */
  readonly lastStderrAt?: (() => number) | undefined;
  readonly end?: SessionEnd | undefined;
}

/** For sessions whose end is more than closing the peer. */
export interface SessionEnd {
  /** `true` blocks further requests. Outstanding responses may still arrive. */
  readonly isLost: boolean;
  readonly cause: Error | undefined;
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

export class PeerSession implements Session {
  readonly facts: SessionFacts;
  readonly closed: Promise<void>;
  readonly #services: ConnectionServices;
  readonly #options: PeerSessionOptions;
  readonly #isModern: boolean;
  /** Over Streamable HTTP from revision 2026-07-28 on, headers repeat arguments. */
  readonly #repeatsArguments: boolean;
  readonly #context: ExchangeContext;
  readonly #tools: ToolCalls;
  /** `undefined`: the server needs no change stream. */
  readonly #watching: Promise<void> | undefined;
  readonly #requestedLists = new Set<ServerList>();
  #logLevel: unknown;
  #isCancelled = false;

  constructor(parts: ConnectionServices, options: PeerSessionOptions) {
    const { peer, inFlight, serverRequests } = parts;
    const { server, facts, channel, validateOutput, redact = noRedaction, explain = requestError, end } = options;
    this.facts = facts;
    this.#services = parts;
    this.#options = options;
    this.#isModern = facts.era === 'modern';
    this.#repeatsArguments = this.#isModern && 'hasPerRequestStream' in channel && channel.hasPerRequestStream;
    this.#tools = new ToolCalls({ server, facts, validateOutput, repeatsArguments: this.#repeatsArguments, redact });
    this.#context = {
      server,
      facts,
      peer,
      inFlight,
      serverRequests,
      explain,
      read: (request, result) => (request.method === 'tools/call' ? this.#tools.read(request, result) : result),
      headersOf: ({ method, params }) => (method === 'tools/call' ? this.#tools.headersOf(params) : undefined),
    };
    parts.agreed(facts.protocolVersion);
    peer.agreed({ envelope: this.#isModern ? this.#envelope() : undefined, acceptsRequests: !this.#isModern });
    this.#watching = this.#isModern ? this.#watch() : undefined;
    this.closed = end ? Promise.race([peer.closed, end.lost]) : peer.closed;
    const sessionId = 'sessionId' in channel ? channel.sessionId : undefined;
    const endSession = peer.observer?.agreed({ protocolVersion: facts.protocolVersion, sessionId });
    if (endSession) void this.closed.then(() => endSession(this.endCause));
  }

  get isOpen(): boolean {
    return this.#services.peer.isOpen && !this.#isCancelled && this.#options.end?.isLost !== true;
  }

  get callsInFlight(): number {
    return this.#services.inFlight.count;
  }

  get lastMessageAt(): number {
    return this.#services.peer.lastMessageAt;
  }

  get lastByteAt(): number {
    return Math.max(this.#services.peer.lastByteAt, this.#options.lastStderrAt?.() ?? 0);
  }

  get outputProblems(): readonly string[] {
    return this.#tools.outputProblems;
  }

  get endCause(): Error | undefined {
    return this.#options.end?.cause;
  }

  get isStateless(): boolean {
    const { channel } = this.#options;
    return 'isStateless' in channel && channel.isStateless === true;
  }

  send(request: OutgoingRequest): RequestHandle {
    const { method, params } = request;
    if (method === 'tools/call') {
      if (!this.#tools.needsTask(params)) return new Exchange(this.#context, request);
      return this.#inBackground(request, async (part) =>
        this.#tools.read(request, await this.#tools.callAsTask(request, part, this.#context)),
      );
    }
    if (method === 'initialize') throw new TypeError('The session sends "initialize" itself');
    requireCapability(method, { facts: this.facts, server: this.#options.server });
    if (!this.#isModern || !modernReplacements.has(method)) return new Exchange(this.#context, request);
    return this.#inBackground(request, (part) => this.#runReplacement(method, params, part));
  }

  callTool(tool: string, args: Params, options: SessionCallOptions): Promise<ToolCallResult> {
    const { params, ...how } = options;
    const whole = { ...params, name: tool, arguments: args };
    return this.#send('tools/call', whole, `the call of "${tool}"`, how) as Promise<RawResult & ToolCallResult>;
  }

  async request(method: string, params: Params, how: SessionRequestOptions): Promise<RawResult> {
    if (method !== 'tools/call') return this.#send(method, params, `"${method}"`, how);
    requireCapability(method, { facts: this.facts, server: this.#options.server });
    const { tool, args, meta, others } = readCallParams(params);
    return this.callTool(tool, args, { ...how, meta: meta ? { ...meta, ...how.meta } : how.meta, params: others });
  }

  async listTools({ signal, maxTools }: { signal: AbortSignal; maxTools?: number }): Promise<ToolListing> {
    if (!this.facts.capabilities.tools) return { tools: [], completeness: 'complete', problems: [] };
    await this.#beforeListing('tools');
    const listing = await listTools(this.#pagesOf('tools/list', { signal, caller: undefined }), {
      signal,
      maxTools,
      repeatsArguments: this.#repeatsArguments,
      redact: this.#options.redact,
    });
    if (listing.completeness !== 'unavailable') await this.#tools.update(listing.tools);
    return listing;
  }

  listAll<Method extends keyof ServerLists>(
    method: Method,
    how: OperationOptions,
  ): Promise<PagedListing<ServerLists[Method]>> {
    const work = async (part: Operation): Promise<PagedListing<ServerLists[Method]>> => {
      const { server, redact } = this.#options;
      requireCapability(method, { facts: this.facts, server });
      await this.#beforeListing(method === 'prompts/list' ? 'prompts' : 'resources');
      const { signal } = part;
      const kind = listKinds[method];
      const listing = await listPages(this.#pagesOf(method, part), { kind, signal, isFatal: isLoss, redact });
      return lacksMethod(method, listing) ? { items: [], completeness: 'complete', problems: [] } : listing;
    };
    return this.#services.inFlight.during(how, work, { mayCauseRequests: false });
  }

  async notify(method: string, params: Params): Promise<void> {
    if (this.isOpen) await this.#services.peer.notify(method, params);
  }

  async notifyRootsChanged(): Promise<void> {
    const { roots } = this.#services.serverRequests.capabilities;
    const announcesRoots = isRecord(roots) && roots.listChanged === true;
    if (!this.#isModern && announcesRoots) await this.notify('notifications/roots/list_changed', {});
  }

  async checkAlive({ signal }: { signal: AbortSignal }): Promise<void> {
    try {
      const method = this.#isModern ? 'server/discover' : 'ping';
      await exchangePart(this.#context, { method, params: {}, signal, caller: undefined });
    } catch (error) {
      // An error response shows that the server works.
      if (!isManagerError(error) || error.rpc === undefined) throw error;
    }
  }

  cancelAll(): void {
    this.#isCancelled = true;
    this.#services.inFlight.cancelAll(lostInFlight());
    this.#services.peer.cancelAll(lostInFlight());
  }

  async close(): Promise<void> {
    await this.#options.end?.close();
    this.#services.peer.close();
  }

  async #send(
    method: string,
    params: Params,
    what: string,
    { signal, onProgress, meta, inputRequired, handler }: SessionRequestOptions,
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
          handler,
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

  #inBackground(request: OutgoingRequest, work: (part: Operation) => Promise<RawResult>): RequestHandle {
    if (!this.#services.peer.isOpen) throw lostBeforeSending();
    const { handler, method, operation } = request;
    operation?.divided();
    const options = { mayCauseRequests: !causesNoServerRequests(method) };
    return inBackground(request, (signal) => this.#services.inFlight.during({ signal, handler }, work, options));
  }

  async #runReplacement(method: string, params: Params, { signal }: Operation): Promise<RawResult> {
    const ways = {
      changes: this.#services.changes as ChangeStream,
      discover: () => this.checkAlive({ signal }),
      setLogLevel: (level: unknown) => {
        this.#logLevel = level;
      },
    };
    try {
      await unlessAborted(modernReplacements.get(method)?.(ways, params), signal);
      return {};
    } catch (error) {
      signal.throwIfAborted();
      throw this.#context.explain(error, { server: this.#options.server, what: `"${method}"` });
    }
  }

  #envelope(): () => Params {
    const { clientInfo } = this.#options;
    const envelope = envelopeOf({ clientInfo, capabilities: this.#services.serverRequests.capabilities });
    return () => (this.#logLevel === undefined ? envelope : { ...envelope, [logLevelKey]: this.#logLevel });
  }

  #watch(): Promise<void> {
    const { peer } = this.#services;
    const changes = new ChangeStream({
      peer,
      capabilities: this.facts.capabilities,
      onWatched: (lists) => this.#watched(lists),
    });
    this.#services.changes = changes;
    return changes.open();
  }

  #pagesOf(method: string, { signal, caller }: Operation): FetchPage {
    return (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      return exchangePart(this.#context, { method, params, signal, caller });
    };
  }

  async #beforeListing(list: ServerList): Promise<void> {
    if (this.#watching) await within(this.#watching, watchFirstMs);
    this.#requestedLists.add(list);
  }

  /** Lists again: changes between the listing and the opening of the stream were not reported. */
  #watched(lists: readonly ServerList[]): void {
    for (const list of lists) if (this.#requestedLists.has(list)) this.#services.notifications.listChanged(list);
  }
}

/** Templates have no capability of their own: many servers with resources do not implement their list. */
function lacksMethod(method: string, { completeness, cause }: PagedListing<unknown>): boolean {
  if (method !== 'resources/templates/list' || completeness !== 'unavailable') return false;
  return isManagerError(cause) && cause.rpc?.code === methodNotFound;
}
