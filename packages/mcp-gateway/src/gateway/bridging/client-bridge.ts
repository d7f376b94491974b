import { CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHost, CallToolOptions } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { callOptionsOf } from '../../serving/client-call.js';
import { isModern } from '../client-request.js';
import { requestOwnerOf } from '../gateway-scope.js';
import type { GatewayUpstream, UpstreamResult } from '../upstream.js';
import type { AskedRequest, Asker } from './asked-request.js';
import { connectedHost } from './connected-host.js';
import type { HeldCall } from './held-call.js';
import { type HeldCalls, invalidState, looksLikeHandle } from './held-calls.js';
import { askForPages, requiredPages } from './pages.js';
import { type Retry, readRetry } from './retry.js';
import { refuse } from './silent-host.js';

type Fields = Readonly<Record<string, unknown>>;

export interface ClientBridgeOptions {
  readonly held: HeldCalls;
  /** How long a client has to answer a question, in milliseconds. */
  readonly timeoutMs: number;
  /** Stands for the client: its connection if that lasts, or else the one request. */
  readonly connection: object;
  readonly lasts: boolean;
  /** The same for all connections and requests of one caller, as far as callers can be told apart. */
  readonly owner: string;
  /** Whether callers cannot be told apart, so that `owner` is everybody. */
  readonly isAnonymous: boolean;
  /** Whether `owner` is one for all clients of a handler, of which each has a share of its own. */
  readonly hasOneCaller: boolean;
  /** Whether nobody else is served, so that what servers know of their client is of this one. */
  readonly isOnlyClient: () => boolean;
  /** What a client of the revisions before 2026-07-28 has said that it can do. */
  readonly capabilities: () => Fields | undefined;
  /** Who a client without a lasting connection is, and as what it is served. */
  readonly audience: () => { readonly principal: string | undefined; readonly scope: string };
  readonly onPage: (server: string, elicitationId: string) => void;
}

export interface BridgedRequest extends AskedRequest {
  readonly upstream: GatewayUpstream | undefined;
  /** Whether whoever asks may still do so, for a request that goes on with an earlier one. */
  readonly isAllowed: boolean;
}

/** Sends one request to a server, with the options that it is given. */
export type Send<Result> = (options: CallToolOptions) => Promise<Result>;

/**
 * Brings what servers ask of their client in the middle of a request to the client that has made the request, and its
 * answer back, whichever of the two ways of asking each of them speaks: requests of the server's own, or a result that says
 * what is needed.
 */
export class ClientBridge {
  readonly #options: ClientBridgeOptions;

  constructor(options: ClientBridgeOptions) {
    this.#options = options;
  }

  /** @returns The result, or what is needed before there can be one: `resultType` is `input_required` then. */
  run<Result extends object>(
    request: BridgedRequest,
    context: ClientRequest,
    send: Send<Result>,
  ): Promise<Result | UpstreamResult> {
    if (!isModern(context)) return send({ ...callOptionsOf(context), host: this.hostOf(context, request.upstream) });
    return this.#runRound(request, context, send);
  }

  /** Who answers for a client. One of the 2026-07-28 revision can be asked by the results of some requests alone. */
  hostOf(context: ClientRequest, upstream: GatewayUpstream | undefined): CallHost {
    const { connection, timeoutMs, onPage } = this.#options;
    const capabilities = () => this.#capabilitiesFor(upstream, context);
    if (!isModern(context)) {
      return connectedHost(context, { client: connection, owner: this.#owner, capabilities, timeoutMs, onPage });
    }
    return {
      client: this.#client,
      owner: this.#owner,
      get capabilities() {
        return capabilities();
      },
      answer: refuse,
    };
  }

  async #runRound<Result extends object>(
    request: BridgedRequest,
    context: ClientRequest,
    send: Send<Result>,
  ): Promise<Result | UpstreamResult> {
    const retry = readRetry(context);
    try {
      return await this.#goOn(request, context, retry, send);
    } catch (error) {
      const pages = requiredPages(error);
      if (pages.length === 0) throw error;
      return askForPages(pages, this.#capabilitiesOf(context), retry);
    }
  }

  #goOn<Result extends object>(
    request: BridgedRequest,
    context: ClientRequest,
    retry: Retry,
    send: Send<Result>,
  ): Promise<Result | UpstreamResult> {
    const { requestState } = retry;
    const held = requestState && this.#options.held.find(requestState, this.#asker, request);
    if (requestState && held) return this.#resume(held as HeldCall<Result>, request, context, retry);

    const era = request.upstream?.session?.era;
    // To begin anew what somebody wants to go on with could do a thing twice.
    const isLost = requestState && (looksLikeHandle(requestState) ? era !== 'modern' : era === 'legacy');
    if (isLost) throw invalidState();
    const options: CallToolOptions = {
      ...callOptionsOf(context),
      inputRequired: 'return',
      ...(era !== 'legacy' && Object.keys(retry).length > 0 && { params: { ...retry } }),
    };
    if (era === 'modern') return send({ ...options, host: this.hostOf(context, request.upstream) });
    const capabilities = () => this.#capabilitiesFor(request.upstream, context);
    const call = this.#options.held.open<Result>(this.#asker, {
      client: this.#client,
      owner: this.#owner,
      capabilities,
    });
    call.start(send, options);
    return this.#nextOf(call, request, context);
  }

  async #resume<Result extends object>(
    call: HeldCall<Result>,
    request: BridgedRequest,
    context: ClientRequest,
    { requestState = '', inputResponses = {} }: Retry,
  ): Promise<Result | UpstreamResult> {
    if (!request.isAllowed) throw invalidState();
    const unfit = call.answer(inputResponses);
    if (unfit.length > 0) {
      const message = `In inputResponses there is no answer to what was asked for ${unfit.join(', ')}, but something else`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { keys: unfit });
    }
    this.#options.held.take(requestState);
    return this.#nextOf(call, request, context);
  }

  async #nextOf<Result extends object>(
    call: HeldCall<Result>,
    { method, name, args }: BridgedRequest,
    context: ClientRequest,
  ): Promise<Result | UpstreamResult> {
    const step = await call.next(callOptionsOf(context));
    if (step.kind === 'result') return step.result;
    const requestState = this.#options.held.hold(call, this.#asker, { method, name, args });
    const requests = Array.from(step.questions, ([key, question]) => [key, toInputRequest(question)]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState };
  }

  /**
   * What a server may ask the client for. Before 2026-07-28 the roots are those of the server's connection: where everybody
   * shares it, what one client says would hold for all. Which revision it is may be known only when the server has started.
   */
  #capabilitiesFor(upstream: GatewayUpstream | undefined, context: ClientRequest): Fields {
    const capabilities = this.#capabilitiesOf(context);
    const isToldApart = upstream?.session?.era === 'modern' || upstream?.connections === 'per-caller';
    if (isToldApart || this.#options.isOnlyClient()) return capabilities;
    const { roots: _, ...others } = capabilities;
    return others;
  }

  #capabilitiesOf(context: ClientRequest): Fields {
    if (!isModern(context)) return this.#options.capabilities() ?? {};
    const declared = context.envelope[CLIENT_CAPABILITIES_META_KEY];
    return isRecord(declared) ? declared : {};
  }

  /** Requests that stand for nobody are clients of their own, so that no question can go to another one. */
  get #client(): unknown {
    return this.#asker.caller ?? this.#options.connection;
  }

  get #owner(): unknown {
    const { principal } = this.#options.audience();
    return requestOwnerOf(this.#options, { principal, client: this.#client });
  }

  get #asker(): Asker {
    const { lasts, connection, owner, isAnonymous, audience } = this.#options;
    const { principal, scope } = audience();
    const known = principal ?? (isAnonymous ? undefined : owner);
    return { caller: lasts ? connection : known, scope: JSON.stringify([owner, scope]) };
  }
}

function toInputRequest({ method, params }: { readonly method: string; readonly params: Fields }) {
  return Object.keys(params).length === 0 ? { method } : { method, params };
}
