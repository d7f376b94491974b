import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallHandler, SourceCallOptions } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type RequiredPage, requiredPages } from '@x/internal/required-pages';
import { withPlainHandler } from '@x/internal/views';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';
import type { Hold } from '../../server/methods/client-server.js';
import { supportsUrls } from '../../serving/asked-client.js';
import { callOptionsOf } from '../../serving/client-calls.js';
import { requestOwnerOf } from '../gateway-clients.js';
import { type GatewayUpstream, rpcErrorOf, type UpstreamResult } from '../upstream.js';
import type { ElicitationFallback, FallbackQuestion } from './elicitation-fallback.js';
import type { HeldCall } from './held-call.js';
import { type CallerIdentity, type HeldCalls, invalidState, isHandle, type RequestIdentity } from './held-calls.js';
import { type Retry, readRetry, requestPages } from './required-input.js';
import { connectedHandler, type OnRefused, refusalOf, refuse, refusing } from './server-requests.js';

type Fields = Readonly<Record<string, unknown>>;

interface ClientBridgeOptions {
  readonly held: HeldCalls;
  readonly timeoutMs: number;
  readonly fallback: ElicitationFallback | undefined;
  /** The client's lasting connection, or the single request. */
  readonly connection: object;
  readonly lasts: boolean;
  /** The same for all requests of one caller, if callers are known. */
  readonly owner: string;
  /** True if callers are unknown, so that all share `owner`. */
  readonly isAnonymous: boolean;
  /** True if all clients of a handler share `owner`. */
  readonly hasOneCaller: boolean;
  /** Taken while a call waits for the client's next request. */
  readonly hold: Hold | undefined;
  /** True if state of a server's connection, such as roots, belongs to this client. */
  readonly isOnlyClient: () => boolean;
  /** Capabilities from the handshake, before revision 2026-07-28. */
  readonly capabilities: () => Fields | undefined;
  /** From the handshake, as `capabilities`. */
  readonly clientInfo: () => CallHandler['clientInfo'];
  readonly audience: () => { readonly principal: string | undefined; readonly scope: string };
  readonly onPage: (server: string, elicitationId: string) => void;
}

export interface BridgedRequest extends RequestIdentity {
  readonly upstream: GatewayUpstream | undefined;
  /** True while the caller still has its rights. */
  readonly isAllowed: boolean;
}

/** Capabilities of a client that servers may use, and the error for the others. */
interface Asked {
  readonly capabilities: () => Fields;
  readonly onRefused: OnRefused;
}

type Send<Result> = (options: SourceCallOptions) => Promise<Result>;

/**
 * Forwards server requests to the client. Translates between separate requests (before revision 2026-07-28) and results
 * that list the required input.
 */
export class ClientBridge {
  readonly #options: ClientBridgeOptions;

  constructor(options: ClientBridgeOptions) {
    this.#options = options;
  }

  /** A `resultType` of `input_required` means that the client must respond first. */
  run<Result extends object>(
    request: BridgedRequest,
    context: ClientRequest,
    send: Send<Result>,
  ): Promise<Result | UpstreamResult> {
    if (context.era !== 'legacy') return this.#runRound(request, context, send);
    const handler = this.handlerOf(context, request.upstream);
    return this.#afterPages(request, context, () => send({ ...callOptionsOf(context), handler }));
  }

  /** Makes the request again when the fallback has visited the pages that it requires. */
  async #afterPages<Result>(
    request: BridgedRequest,
    context: ClientRequest,
    send: () => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const pages = requiredPages(rpcErrorOf(error));
        const isDone = await this.#haveVisited(pages, request, context).catch(() => false);
        if (!isDone) throw error;
      }
    }
  }

  /** False also if the client can show pages itself. */
  async #haveVisited(
    pages: readonly RequiredPage[],
    { upstream, isAllowed }: BridgedRequest,
    context: ClientRequest,
  ): Promise<boolean> {
    const { fallback, timeoutMs } = this.#options;
    if (pages.length === 0 || upstream === undefined || !isAllowed) return false;
    if (!fallback?.visited || !fallback.isAvailable || supportsUrls(this.capabilitiesOf(context))) return false;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
    const question = { ...this.#fallbackCaller(context), server: upstream.name, signal };
    for (const page of pages) {
      const { action } = await fallback.answer({ ...question, params: { ...page, mode: 'url' } });
      if (action !== 'accept') return false;
    }
    return await fallback.visited(question);
  }

  /** @param era - In which the server is spoken to, if it has both. Default: the client's. */
  handlerOf(context: ClientRequest, upstream: GatewayUpstream | undefined, era: Era = context.era): CallHandler {
    const { connection, timeoutMs, onPage } = this.#options;
    const clientInfo = this.clientInfoOf(context);
    const { plain, capabilities, onRefused } = this.#askedOf(upstream, context);
    if (context.era === 'legacy') {
      const owner = this.#owner;
      const handlerWith = (asked: Asked) =>
        connectedHandler(context, { client: connection, owner, era, clientInfo, timeoutMs, onPage, ...asked });
      const handler = handlerWith({ capabilities, onRefused });
      return plain === undefined ? handler : withPlainHandler(handler, () => handlerWith(plain));
    }
    return {
      client: this.#client,
      owner: this.#owner,
      era,
      clientInfo,
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
      // A request with state continues a call that a repetition would start again.
      const goOn = () => this.#goOn(request, context, retry, send);
      return await (retry.requestState === undefined ? this.#afterPages(request, context, goOn) : goOn());
    } catch (error) {
      const pages = requiredPages(rpcErrorOf(error));
      if (pages.length === 0) throw error;
      return requestPages(pages, this.capabilitiesOf(context), retry);
    }
  }

  #goOn<Result extends object>(
    request: BridgedRequest,
    context: ClientRequest,
    retry: Retry,
    send: Send<Result>,
  ): Promise<Result | UpstreamResult> {
    const { requestState } = retry;
    const held = requestState && this.#options.held.find(requestState, this.#identity, request);
    if (requestState && held) return this.#resume(held as HeldCall<Result>, request, context, retry);

    const era = request.upstream?.session?.era;
    // Fails a request whose call is lost: starting over could repeat an effect.
    const isLost = requestState && (isHandle(requestState) ? era !== 'modern' : era === 'legacy');
    if (isLost) throw invalidState();
    const options: SourceCallOptions = {
      ...callOptionsOf(context),
      inputRequired: 'return',
      ...(era !== 'legacy' && Object.keys(retry).length > 0 && { params: { ...retry } }),
    };
    const call = this.#options.held.open<Result>(this.#identity, {
      client: this.#client,
      owner: this.#owner,
      clientInfo: this.clientInfoOf(context),
      ...this.#askedOf(request.upstream, context),
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
      const message = `The inputResponses for ${unfit.join(', ')} do not fit what was requested; send responses of the requested kind`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { keys: unfit });
    }
    this.#options.held.remove(requestState);
    return this.#nextOf(call, request, context);
  }

  async #nextOf<Result extends object>(
    call: HeldCall<Result>,
    { method, name, args }: BridgedRequest,
    context: ClientRequest,
  ): Promise<Result | UpstreamResult> {
    const step = await call.next(callOptionsOf(context));
    if (step.kind === 'result') return step.result;
    const requestState = this.#options.held.add(call, this.#identity, {
      asked: { method, name, args },
      release: this.#options.hold?.(),
    });
    const requests = Array.from(step.questions, ([key, question]) => [key, toInputRequest(question)]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState };
  }

  /**
   * Before revision 2026-07-28, a server has one set of roots for a shared connection, so one client's roots would
   * apply to all. Evaluated late: the revision is known only after the server's start.
   */
  #capabilitiesFor(upstream: GatewayUpstream | undefined, context: ClientRequest): Fields {
    const capabilities = this.capabilitiesOf(context);
    const isToldApart = eraOf(upstream, context) === 'modern' || upstream?.connections === 'per-caller';
    if (isToldApart || this.#options.isOnlyClient()) return capabilities;
    const { roots: _, ...others } = capabilities;
    return others;
  }

  /** What servers ask the client, and `plain`: what others ask it, which no one else may answer. */
  #askedOf(
    upstream: GatewayUpstream | undefined,
    context: ClientRequest,
  ): Asked & { readonly plain: Asked | undefined } {
    const declared = () => this.#capabilitiesFor(upstream, context);
    const plain = { capabilities: declared, onRefused: refusing(declared) };
    if (this.#options.fallback === undefined) return { ...plain, plain: undefined };
    const capabilities = () => this.#withFallback(declared(), context, upstream);
    return { capabilities, onRefused: this.#onRefused(context, declared), plain };
  }

  /** Between two sides of revision 2026-07-28 a server asks in a result, which the client alone can answer. */
  #withFallback(declared: Fields, context: ClientRequest, upstream: GatewayUpstream | undefined): Fields {
    const isBetweenModern = context.era === 'modern' && eraOf(upstream, context) !== 'legacy';
    if (isBetweenModern || isRecord(declared.elicitation) || !this.#options.fallback?.isAvailable) return declared;
    return { ...declared, elicitation: { form: {}, url: {} } };
  }

  #onRefused(context: ClientRequest, declared: () => Fields): OnRefused {
    return async (asked, { server, signal }) => {
      const refusal = refusalOf(asked, declared());
      if (refusal === undefined) return undefined;
      const { fallback, timeoutMs } = this.#options;
      if (asked.method !== 'elicitation/create' || !fallback?.isAvailable) throw refusal;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const caller = this.#fallbackCaller(context);
      return await fallback.answer({ ...caller, server, params: asked.params, signal: limit });
    };
  }

  #fallbackCaller(context: ClientRequest): Pick<FallbackQuestion, 'client' | 'principal'> {
    return { client: this.clientInfoOf(context)?.name, principal: this.#options.audience().principal };
  }

  capabilitiesOf(context: ClientRequest): Fields {
    if (context.era === 'legacy') return this.#options.capabilities() ?? {};
    const declared = context.envelope[CLIENT_CAPABILITIES_META_KEY];
    return isRecord(declared) ? declared : {};
  }

  clientInfoOf(context: ClientRequest): CallHandler['clientInfo'] {
    if (context.era === 'legacy') return this.#options.clientInfo();
    return context.envelope[CLIENT_INFO_META_KEY] as CallHandler['clientInfo']; // checked with the envelope
  }

  /** Each anonymous request counts as a client, so that no server request reaches another. */
  get #client(): unknown {
    return this.#caller ?? this.#options.connection;
  }

  get #owner(): unknown {
    const { principal } = this.#options.audience();
    return requestOwnerOf(this.#options, { principal, client: this.#client });
  }

  get #caller(): unknown {
    const { lasts, connection, owner, isAnonymous, audience } = this.#options;
    return lasts ? connection : (audience().principal ?? (isAnonymous ? undefined : owner));
  }

  get #identity(): CallerIdentity {
    const { owner, audience } = this.#options;
    return { caller: this.#caller, scope: JSON.stringify([owner, audience().scope]) };
  }
}

function eraOf(upstream: GatewayUpstream | undefined, { era }: ClientRequest): Era | undefined {
  return upstream?.eraFor?.(era) ?? upstream?.session?.era;
}

function toInputRequest({ method, params }: { readonly method: string; readonly params: Fields }) {
  return Object.keys(params).length === 0 ? { method } : { method, params };
}
