import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { messageOf } from '../errors.js';
import { peekTool } from '../peek-tools.js';
import type { HeldView } from '../server/held-view.js';
import { RegistryServer, type ServerScope } from '../server/registry-server.js';
import { callOptionsOf } from '../serving/client-call.js';
import type { Audience } from './audiences.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { forwardLog, isModern } from './client-request.js';
import type { GatewayCore, Routed } from './gateway-core.js';
import { OriginalCodes } from './original-codes.js';
import { answerList } from './part-answer.js';
import type { PartKind } from './part-kinds.js';
import { passedResult } from './passed-result.js';
import { resourceNotFound } from './resource-not-found.js';
import { rewriteContents, rewriteMessages } from './rewrite-content.js';
import { passedOn, reasonOf, rpcErrorOf } from './rpc-error.js';
import { answerToolCall } from './tool-answer.js';
import type { GatewayUpstream, LogLevel, UpstreamResult } from './upstream.js';

/** What a client of the revisions before 2026-07-28 has asked its connection for. */
export interface ClientWishes {
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribe(uri: string): void;
  setLogLevel(level: LogLevel): Promise<void>;
}

type Params = Readonly<Record<string, unknown>>;
// Results are what servers have sent; that they are ones is the servers' affair, and clients check it.
type Answer = Record<string, unknown>;

/** One connection's protocol server over everything that an audience may use. */
export class GatewayServer extends RegistryServer {
  readonly #core: GatewayCore;
  readonly #held: HeldView;
  readonly #codes = new OriginalCodes();

  /** @param wishes - Left out for a connection that lasts one request. */
  constructor(core: GatewayCore, held: HeldView, scope: ServerScope, wishes?: ClientWishes) {
    super(held, selfDescriptionOf(core), scope);
    this.#core = core;
    this.#held = held;
    const capabilities = capabilitiesOf(core.upstreams.servers());
    this.server.registerCapabilities(capabilities);
    this.server.setRequestHandler('tools/call', ({ params }, context) => this.#callTool(params, context));
    if (capabilities.resources !== undefined) this.#serveResources(wishes);
    if (capabilities.prompts !== undefined) this.#servePrompts();
    if (capabilities.completions !== undefined) {
      this.server.setRequestHandler('completion/complete', ({ params }, context) => this.#complete(params, context));
    }
    if (capabilities.logging !== undefined) {
      this.server.setRequestHandler('logging/setLevel', async ({ params }) => {
        await wishes?.setLogLevel(params.level);
        return {};
      });
    }
  }

  override async connect(transport: Transport): ReturnType<McpServer['connect']> {
    this.#codes.follow(transport);
    await super.connect(transport);
  }

  get #audience(): Audience {
    return this.#core.audiences.ofView(this.#held.current);
  }

  #serveResources(wishes: ClientWishes | undefined): void {
    this.server.setRequestHandler('resources/list', ({ params }) => this.#list('resources', params));
    this.server.setRequestHandler('resources/templates/list', ({ params }) => this.#list('resourceTemplates', params));
    this.server.setRequestHandler('resources/read', ({ params }, context) => this.#read(params, context));
    this.server.setRequestHandler('resources/subscribe', ({ params }, context) =>
      this.#answering(context, undefined, async () => {
        await wishes?.subscribe(params.uri, context.mcpReq.signal);
        return {};
      }),
    );
    this.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      wishes?.unsubscribe(params.uri);
      return {};
    });
  }

  #servePrompts(): void {
    this.server.setRequestHandler('prompts/list', ({ params }) => this.#list('prompts', params));
    this.server.setRequestHandler('prompts/get', ({ params }, context) => this.#getPrompt(params, context));
  }

  async #list(kind: PartKind, params: { readonly cursor?: string | undefined } | undefined) {
    const { policy } = this.#audience;
    const cursor = params?.cursor;
    const listing = await this.#core.list(kind, policy, { isNextPage: cursor !== undefined });
    return answerList(kind, listing, { pageSize: this.#core.policy.serving.pageSize, cursor }) as never;
  }

  async #read(params: Params & { readonly uri: string }, context: ServerContext) {
    const found = await this.#find(params.uri, context);
    const result = await this.#request(found.upstream, 'resources/read', { ...params, uri: found.key }, context);
    return rewriteContents(result, (uri) => this.#uriOf(found.upstream, uri)) as never;
  }

  async #getPrompt(params: Params & { readonly name: string }, context: ServerContext) {
    const { upstream, key } = await this.#findPrompt(params.name);
    const result = await this.#request(upstream, 'prompts/get', { ...params, name: key }, context);
    return rewriteMessages(result, (uri) => this.#uriOf(upstream, uri)) as never;
  }

  async #complete(
    params: Params & { readonly ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string } },
    context: ServerContext,
  ) {
    const { ref } = params;
    const isPrompt = ref.type === 'ref/prompt';
    const { upstream, key } = isPrompt ? await this.#findPrompt(ref.name) : await this.#find(ref.uri, context);
    const original = isPrompt ? { ...ref, name: key } : { ...ref, uri: key };
    return (await this.#request(upstream, 'completion/complete', { ...params, ref: original }, context)) as never;
  }

  async #callTool(params: { name: string; arguments?: Answer | undefined }, context: ServerContext) {
    const { view, tools } = this.#audience;
    const tool = peekTool(view, params.name);
    const upstream = this.#core.upstreams
      .servers()
      .find(({ name }) => name === (tool ?? peekTool(tools, params.name))?.server);
    return this.#answering(context, upstream, async () => {
      const result = await answerToolCall(view, params, {
        options: callOptionsOf(context.mcpReq),
        // The model is the one to decide what to do about a server that is not there.
        onFailure: (error) => this.#reportFailure(error, context, upstream),
      });
      return this.server.projectCallToolResult(result, tool?.outputSchema);
    });
  }

  async #find(uri: string, context: ServerContext): Promise<Routed> {
    const found = await this.#core.findResource(uri, this.#audience.policy);
    if (found !== undefined) return found;
    return this.#answering(context, undefined, () => {
      throw resourceNotFound(uri);
    });
  }

  async #findPrompt(name: string): Promise<Routed> {
    const found = await this.#core.findPrompt(name, this.#audience.policy);
    if (found !== undefined) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Prompt not found', { name });
  }

  #request(upstream: GatewayUpstream, method: string, params: Params, context: ServerContext): Promise<UpstreamResult> {
    const { _meta, ...rest } = params;
    return this.#answering(context, upstream, async () => {
      const result = await upstream.request(method, rest, callOptionsOf(context.mcpReq));
      return passedResult(result, { isModern: isModern(context) });
    });
  }

  #uriOf({ name }: GatewayUpstream, uri: string): string {
    return this.#core.policy.names.uri(name, uri);
  }

  /** Tells the client of what the server logs meanwhile, where it asks for that, and of errors as the server has put them. */
  async #answering<Result>(
    context: ServerContext,
    upstream: GatewayUpstream | undefined,
    work: () => Promise<Result> | Result,
  ): Promise<Result> {
    const { policy } = this.#audience;
    const log = upstream && forwardLog(this.#core, { upstream, policy }, context);
    try {
      return await work();
    } catch (error) {
      throw context.mcpReq.signal.aborted ? error : this.#toClientError(error, context, upstream);
    } finally {
      log?.[Symbol.dispose]();
    }
  }

  #toClientError(error: unknown, context: ServerContext, upstream: GatewayUpstream | undefined): Error {
    const rpc = rpcErrorOf(error);
    if (rpc !== undefined) {
      if (!isModern(context)) this.#codes.keep(context.mcpReq.id, rpc.code);
      return passedOn(rpc);
    }
    const { MethodNotFound, InternalError } = ProtocolErrorCode;
    const code = reasonOf(error) === 'unsupported' ? MethodNotFound : InternalError;
    return new ProtocolError(code, this.#reportFailure(error, context, upstream));
  }

  /** @returns What clients are told: messages may tell of commands, paths and secrets. */
  #reportFailure(error: unknown, { mcpReq }: ServerContext, upstream: GatewayUpstream | undefined): string {
    const server = upstream?.name ?? '';
    const reason = reasonOf(error);
    const message = `Server "${server}" did not answer "${mcpReq.method}": ${messageOf(error)}`;
    this.#core.policy.onProblem({ code: 'request-failed', server, reason, message, cause: error });
    return `The server behind this did not answer: ${reason}`;
  }
}
