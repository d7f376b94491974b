import { LOG_LEVEL_META_KEY, ProtocolError, type Transport } from '@modelcontextprotocol/client';
import { unlessAborted, within } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { isManagerError } from '../errors.js';
import { asItIs, type Redact } from '../redaction.js';
import { isLoss, lostInFlight, requestError } from './call-error.js';
import type { CallLane, CallLaneOptions } from './call-lane.js';
import { readCallParams } from './call-params.js';
import { ChangeStream } from './change-stream.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import { Exchange, type ExchangeRequest } from './exchange.js';
import { InFlight, type InFlightRequest, type Wanted } from './in-flight.js';
import { type FetchPage, listPages, type PagedListing } from './list-pages.js';
import { listTools } from './list-tools.js';
import { modernWay } from './modern-requests.js';
import type { OpenSessionOptions } from './open-session-options.js';
import type { PreparedClient } from './prepared-client.js';
import { type Params, type RawResult, RequestLane } from './request-lane.js';
import { requireCapability } from './required-capability.js';
import { listKinds, type ServerLists } from './server-lists.js';
import type {
  Session,
  SessionCallOptions,
  SessionFacts,
  SessionRequestOptions,
  ToolCallResult,
  ToolListing,
} from './session.js';
import { envelopeOf, readFacts } from './session-facts.js';
import type { ServerList } from './session-listeners.js';
import { ToolCalls } from './tool-calls.js';

/** How long a list waits for the server to watch over it first, in milliseconds, so that it is not asked for twice. */
const watchFirstMs = 250;

export interface SdkSessionOptions
  extends Pick<OpenSessionOptions, 'server' | 'listeners' | 'clientInfo' | 'validateOutput' | 'redact'> {
  /** Present where calls of tools have a short way beside the SDK's. */
  readonly openLane?: (options: CallLaneOptions) => CallLane | undefined;
  /** When the last message came by the short way or any other, by `performance.now()`. */
  readonly lastHeardAt?: () => number;
  /** When the last byte came, by `performance.now()`. */
  readonly lastByteAt?: () => number;
}

/** A session on a connected SDK client. */
export class SdkSession implements Session {
  readonly facts: SessionFacts;
  readonly lane: Session['lane'];
  readonly closed: Promise<void>;
  readonly #prepared: PreparedClient;
  readonly #options: SdkSessionOptions;
  readonly #redact: Redact;
  readonly #isModern: boolean;
  /** Whether calls repeat arguments as headers: over Streamable HTTP, from revision 2026-07-28 on. */
  readonly #repeatsArguments: boolean;
  readonly #inFlight: InFlight;
  readonly #requests: RequestLane;
  readonly #exchange: Exchange;
  readonly #tools: ToolCalls;
  readonly #callLane: CallLane | undefined;
  readonly #changes: ChangeStream;
  /** Settles when the server tells of changes, or will not for now. `undefined`: it tells of them all along. */
  readonly #watching: Promise<void> | undefined;
  readonly #asked = new Set<ServerList>();
  #logLevel: unknown;
  #isOpen = true;

  constructor(prepared: PreparedClient, options: SdkSessionOptions) {
    const { client, host, progress } = prepared;
    const { server, validateOutput, redact = asItIs } = options;
    const facts = readFacts(client);
    this.facts = facts;
    this.#prepared = prepared;
    this.#options = options;
    this.#redact = redact;
    this.#isModern = facts.era === 'modern';
    this.#repeatsArguments = this.#isModern && client.transport?.hasPerRequestStream === true;
    const repeatsArguments = this.#repeatsArguments;
    this.#inFlight = new InFlight({ hosts: host.underWay, onCount: () => this.#tellInFlight() });
    this.#requests = this.#openRequestLane();
    this.#exchange = new Exchange({ server, facts, lane: this.#requests, host, progress });
    const exchange = this.#exchange;
    this.#tools = new ToolCalls({ server, facts, exchange, progress, validateOutput, repeatsArguments, redact });
    this.#callLane = this.#isModern ? undefined : this.#openCallLane();
    this.lane =
      this.#callLane && this.#tools.through(this.#callLane, (tool, args, how) => this.callTool(tool, args, how));
    this.#changes = new ChangeStream({
      client,
      capabilities: facts.capabilities,
      onWatched: (lists) => this.#watched(lists),
    });
    this.#watching = this.#isModern ? this.#changes.open() : undefined;
    this.closed = new Promise((resolve) => {
      client.onclose = () => {
        this.#ended();
        resolve();
      };
    });
    // Errors out of band (an answer to a call that was given up, say) concern nobody who waits.
    client.onerror = () => undefined;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get callsInFlight(): number {
    return this.#inFlight.count + (this.#callLane?.size ?? 0);
  }

  get lastHeardAt(): number {
    return Math.max(this.#requests.lastHeardAt, this.#options.lastHeardAt?.() ?? 0);
  }

  get lastByteAt(): number {
    return Math.max(this.lastHeardAt, this.#options.lastByteAt?.() ?? 0);
  }

  get outputProblems(): readonly string[] {
    return this.#tools.outputProblems;
  }

  async listTools({ signal, maxTools }: { signal: AbortSignal; maxTools?: number }): Promise<ToolListing> {
    if (!this.facts.capabilities.tools) return { tools: [], completeness: 'complete', problems: [] };
    await this.#beforeListing('tools');
    const listing = await listTools(this.#pagesOf('tools/list', { signal, host: undefined }), {
      signal,
      maxTools,
      repeatsArguments: this.#repeatsArguments,
      redact: this.#redact,
    });
    if (listing.completeness !== 'unavailable') this.#tools.learn(listing.tools);
    return listing;
  }

  callTool(tool: string, args: Params, how: SessionCallOptions): Promise<ToolCallResult> {
    return this.#inFlight.during(how, (request) => this.#tools.call(tool, args, { ...how, ...request }));
  }

  request(method: string, params: Params, how: SessionRequestOptions): Promise<RawResult> {
    const work = (request: InFlightRequest) => this.#request(method, params, { ...how, ...request });
    return this.#inFlight.during(how, work, { mayBeAsked: !asksForNothing(method) });
  }

  listAll<Method extends keyof ServerLists>(method: Method, how: Wanted): Promise<PagedListing<ServerLists[Method]>> {
    const work = async (request: InFlightRequest) => {
      requireCapability(method, { facts: this.facts, server: this.#options.server });
      await this.#beforeListing(method === 'prompts/list' ? 'prompts' : 'resources');
      const { signal } = request;
      const kind = listKinds[method];
      return listPages(this.#pagesOf(method, request), { kind, signal, isFatal: isLoss, redact: this.#redact });
    };
    return this.#inFlight.during(how, work, { mayBeAsked: !asksForNothing(method) });
  }

  async notify(method: string, params: Params): Promise<void> {
    if (this.#isOpen) await this.#requests.notify(method, params);
  }

  async notifyRootsChanged(): Promise<void> {
    const { roots } = this.#prepared.host.capabilities;
    const tellsOfRoots = isRecord(roots) && roots.listChanged === true;
    if (this.#isModern || !tellsOfRoots || !this.#isOpen) return;
    await this.#requests.notify('notifications/roots/list_changed', {});
  }

  async checkAlive({ signal }: { signal: AbortSignal }): Promise<void> {
    try {
      await this.#exchange.send(this.#isModern ? 'server/discover' : 'ping', {}, { signal });
    } catch (error) {
      // An error answer is an answer: the server lives.
      if (!isManagerError(error) || error.rpc === undefined) throw error;
    }
  }

  cancelAll(): void {
    this.#isOpen = false;
    const reason = lostInFlight();
    this.#callLane?.cancelAll(reason);
    this.#inFlight.giveUpAll(reason);
  }

  close(): Promise<void> {
    return this.#prepared.client.close();
  }

  async #request(method: string, params: Params, how: ExchangeRequest): Promise<RawResult> {
    const { server } = this.#options;
    if (method === 'initialize') throw new TypeError('"initialize" is the session\'s own request');
    requireCapability(method, { facts: this.facts, server });
    if (method === 'tools/call') {
      const { tool, args, meta, others } = readCallParams(params);
      return this.#tools.call(tool, args, { ...how, meta: meta ? { ...meta, ...how.meta } : how.meta, params: others });
    }
    const modern = this.#isModern ? this.#modernWay(method, params, how.signal) : undefined;
    if (modern) {
      try {
        return await unlessAborted(modern, how.signal);
      } catch (error) {
        how.signal.throwIfAborted();
        throw requestError(error, { server, what: `"${method}"` });
      }
    }
    const result = await this.#exchange.send(method, params, how);
    if (!isTooDeep(result)) return result;
    const { code, message } = tooDeepError();
    throw requestError(new ProtocolError(code, message), { server, what: `"${method}"` });
  }

  #modernWay(method: string, params: Params, signal: AbortSignal): Promise<RawResult> | undefined {
    return modernWay(method, params, {
      changes: this.#changes,
      discover: (until) => this.checkAlive({ signal: until }),
      setLogLevel: (level) => {
        this.#logLevel = level;
      },
      signal,
    });
  }

  #openRequestLane(): RequestLane {
    const { client, host, notifications } = this.#prepared;
    const { clientInfo } = this.#options;
    const envelope = envelopeOf(this.facts, { clientInfo, capabilities: host.capabilities });
    return new RequestLane(client.transport as Transport, {
      envelope: () =>
        envelope && { ...envelope, ...(this.#logLevel !== undefined && { [LOG_LEVEL_META_KEY]: this.#logLevel }) },
      onRequest: ({ id, method, params }, about) => {
        if (!this.#isModern) host.arrived({ id, method, params, about, hasHostless: this.#hasHostless });
      },
      onResult: (result, caller) => {
        if (!this.#isModern && result.task !== undefined) host.underWay.tasks.made(result, caller);
      },
      onNotification: (method, params) => {
        if (method === 'notifications/tasks/status') host.underWay.tasks.told(params);
        return notifications.take(method, params, () => host.underWay.chooseOwner(this.#hasHostless));
      },
    });
  }

  #openCallLane(): CallLane | undefined {
    const { server, openLane } = this.#options;
    const { underWay } = this.#prepared.host;
    return openLane?.({ server, hosts: underWay, onCallsInFlight: () => this.#tellInFlight() });
  }

  get #hasHostless(): boolean {
    return this.#inFlight.hasHostless || (this.#callLane?.hostless ?? 0) > 0;
  }

  #tellInFlight(): void {
    this.#options.listeners.onCallsInFlight(this.callsInFlight);
  }

  #pagesOf(method: string, request: InFlightRequest): FetchPage {
    return (cursor) => this.#exchange.send(method, cursor === undefined ? {} : { cursor }, request);
  }

  async #beforeListing(list: ServerList): Promise<void> {
    if (this.#watching) await within(this.#watching, watchFirstMs);
    this.#asked.add(list);
  }

  /** What changed between the answer to an earlier question and now was not told. */
  #watched(lists: readonly ServerList[]): void {
    for (const list of lists) if (this.#asked.has(list)) this.#prepared.notifications.listChanged(list);
  }

  #ended(): void {
    this.#isOpen = false;
    const reason = lostInFlight();
    this.#requests.close(reason);
    this.#prepared.host.close(reason);
    this.#changes.close();
    this.#prepared.notifications.close();
  }
}

/**
 * Whether nobody is asked for anything because of it: lists and health checks are the manager's own as often as not, and what a
 * server asks while it has one is about something else.
 */
function asksForNothing(method: string): boolean {
  return method === 'ping' || method.endsWith('/list');
}
