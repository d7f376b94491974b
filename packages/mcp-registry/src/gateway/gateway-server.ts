import {
  isInputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { type CallRecord, recordCall } from '../audit/audit-trail.js';
import type { ToolView } from '../catalog/tool-view.js';
import { messageOf } from '../errors.js';
import { peekTool } from '../peek-tools.js';
import type { HeldView } from '../server/held-view.js';
import { RegistryServer, type ServerScope } from '../server/registry-server.js';
import { callOptionsOf } from '../serving/client-call.js';
import type { CallToolOptions, ToolCallResult } from '../source.js';
import { ANY_PARAMS } from './any-params.js';
import type { Audience } from './audiences.js';
import { type BridgedRequest, ClientBridge } from './bridging/client-bridge.js';
import { takesUrls } from './bridging/host-question.js';
import { requiredPages } from './bridging/pages.js';
import { readRetry } from './bridging/retry.js';
import { calledTool } from './called-tool.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { forwardLog, isModern } from './client-request.js';
import { ClientTasks } from './client-tasks.js';
import type { GatewayCore, Routed } from './gateway-core.js';
import { isNotice } from './notices.js';
import { OriginalCodes } from './original-codes.js';
import { type RoutedMessage, routeOther } from './other-methods.js';
import { answerList } from './part-answer.js';
import { PartAudit } from './part-audit.js';
import type { PartKind } from './part-kinds.js';
import { passedResult, withCacheHints } from './passed-result.js';
import { resourceNotFound } from './resource-not-found.js';
import { ResultsAsSent } from './results-as-sent.js';
import { rewriteContent, rewriteContents, rewriteMessages } from './rewrite-content.js';
import { passedOn, reasonOf, rpcErrorOf } from './rpc-error.js';
import { requireTasks, taskMethods, withTask } from './task-methods.js';
import { answerToolCall } from './tool-answer.js';
import type { GatewayUpstream, LogLevel, UpstreamRequestOptions, UpstreamResult } from './upstream.js';

/** What a client of the revisions before 2026-07-28 has asked its connection for. */
export interface ClientWishes {
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribe(uri: string): void;
  setLogLevel(level: LogLevel): Promise<void>;
  /** The client is sent to a page, and is to be told when its server says that it is done with. */
  expectPage(server: string, elicitationId: string): void;
}

/** What is known of who is served, and how, before anything was asked. */
export interface GatewayScope extends ServerScope {
  readonly era: 'legacy' | 'modern';
  /** The same for all connections of one caller; tasks belong to whoever has made them. */
  readonly owner: string;
  /** Whether everybody who asks is that one owner. */
  readonly isAnonymous?: boolean;
  /** Called before it is answered that there is no such method. */
  readonly onUnknownMethod?: () => void;
}

type Params = Readonly<Record<string, unknown>>;

interface ToolCallParams {
  readonly name: string;
  readonly arguments?: Answer | undefined;
  /** Of the revision 2025-11-25: the client wants a task. */
  readonly task?: unknown;
}

// Results are what servers have sent; that they are ones is the servers' affair, and clients check it.
type Answer = Record<string, unknown>;

/** One connection's protocol server over everything that an audience may use. */
export class GatewayServer extends RegistryServer {
  readonly #core: GatewayCore;
  readonly #held: HeldView;
  readonly #wishes: ClientWishes | undefined;
  readonly #bridge: ClientBridge;
  readonly #audit: PartAudit;
  readonly #codes = new OriginalCodes();
  readonly #results = new ResultsAsSent();
  readonly #tasks: ClientTasks;

  /** @param wishes - Left out for a connection that lasts one request. */
  constructor(core: GatewayCore, held: HeldView, scope: GatewayScope, wishes?: ClientWishes) {
    super(held, selfDescriptionOf(core), scope);
    this.#core = core;
    this.#held = held;
    this.#wishes = wishes;
    this.#audit = new PartAudit(core);
    this.#bridge = new ClientBridge({
      held: core.held,
      timeoutMs: core.policy.input.timeoutMs,
      connection: wishes ?? this,
      lasts: wishes !== undefined,
      owner: scope.owner,
      isAnonymous: scope.isAnonymous ?? false,
      capabilities: () => this.server.getClientCapabilities(),
      audience: () => this.#audience,
      onPage: (server, elicitationId) => wishes?.expectPage(server, elicitationId),
    });
    this.#tasks = new ClientTasks(core, scope.owner);
    const capabilities = capabilitiesOf(core, { era: scope.era, policy: this.#audience.policy });
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
    for (const method of taskMethods(capabilities, scope.era)) {
      this.server.setRequestHandler(method, { params: ANY_PARAMS }, (params, context) =>
        this.#askTask(method, params as Params, context),
      );
    }
    this.server.fallbackNotificationHandler = ({ method, params = {} }) => this.#noteOn(method, params);
    this.server.fallbackRequestHandler = ({ method, params = {} }, context) =>
      this.#passOn(method, params, context).catch((error) => {
        if (rpcErrorOf(error)?.code === ProtocolErrorCode.MethodNotFound) scope.onUnknownMethod?.();
        throw error;
      });
  }

  override async connect(transport: Transport): ReturnType<McpServer['connect']> {
    this.#codes.follow(transport);
    this.#results.follow(transport);
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
    const { uri } = params;
    const audience = this.#audience;
    const found = await this.#find(uri, context, () => this.#audit.refusedRead(audience, uri));
    const request = { method: 'resources/read', upstream: found.upstream, params: { ...params, uri: found.key } };
    const result = await this.#bridged(request, context, () => this.#audit.read(audience, uri, found));
    return rewriteContents(result, (uri) => this.#uriOf(found.upstream, uri)) as never;
  }

  async #getPrompt(params: Params & { readonly name: string }, context: ServerContext) {
    const asked = { name: params.name, args: params.arguments };
    const audience = this.#audience;
    const found = await this.#findPrompt(params.name, () => this.#audit.refusedPrompt(audience, asked));
    const request = { method: 'prompts/get', upstream: found.upstream, params: { ...params, name: found.key } };
    const result = await this.#bridged(request, context, () => this.#audit.gotPrompt(audience, asked, found));
    return rewriteMessages(result, (uri) => this.#uriOf(found.upstream, uri)) as never;
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

  async #callTool(params: ToolCallParams, context: ServerContext) {
    const { view } = this.#audience;
    const called = calledTool(this.#audience, params);
    const upstream = this.#core.upstreams.servers().find(({ name }) => name === called?.server);
    const { name, arguments: args = {} } = params;
    const asked = { method: 'tools/call', name, args, upstream, isAllowed: called !== undefined };
    // The model is the one to decide what to do about a server that is not there.
    const onFailure = (error: unknown) => this.#reportFailure(error, context, upstream);
    return this.#answering(context, upstream, async () => {
      const asTask = (raw: ToolCallResult) => this.#takeTask(raw, { params, tool: called }, context);
      const send = (options: CallToolOptions) =>
        answerToolCall(view, params, { options: withTask(options, params, upstream), onFailure, asTask });
      const result = (await this.#bridge.run(asked, context, send)) as Awaited<ReturnType<typeof send>>;
      if (isInputRequiredResult(result)) return result;
      return this.server.projectCallToolResult(result, peekTool(view, name)?.outputSchema);
    });
  }

  #takeTask(
    result: ToolCallResult,
    { params, tool }: { readonly params: ToolCallParams; readonly tool: ToolView | undefined },
    { mcpReq }: ServerContext,
  ) {
    const mayBeTask = result.resultType === 'task' || params.task !== undefined;
    const told = tool && mayBeTask ? this.#tasks.take(result, tool) : undefined;
    return told && this.#results.keep(mcpReq.id, told);
  }

  async #askTask(method: string, params: Params, context: ServerContext) {
    requireTasks(context);
    const { policy } = this.#audience;
    if (method === 'tasks/list') {
      return this.#results.keep(context.mcpReq.id, await this.#tasks.list(policy, this.#optionsOf(context)));
    }
    const task = this.#tasks.find(params.taskId, policy);
    const request = { upstream: task.upstream, params: { ...params, taskId: task.taskId } };
    const result = await this.#send(method, request, context);
    return this.#results.keep(context.mcpReq.id, this.#tasks.toClient(result, task));
  }

  /** What the gateway does not know, and a server may. */
  async #passOn(method: string, params: Params, context: ServerContext) {
    const { policy } = this.#audience;
    const routed = await routeOther(this.#core, { method, params }, { policy, tasks: this.#tasks });
    if (routed === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const result = await this.#send(method, routed, context);
    const uriOf = (uri: string) => this.#uriOf(routed.upstream, uri);
    return this.#results.keep(context.mcpReq.id, rewriteContent(rewriteContents(result, uriOf), uriOf));
  }

  /** What the client says, and nobody answers. */
  async #noteOn(method: string, params: Params): Promise<void> {
    if (!isNotice(method)) return;
    const { policy } = this.#audience;
    const routed = await routeOther(this.#core, { method, params }, { policy, tasks: this.#tasks });
    await routed?.upstream.notify?.(method, routed.params);
  }

  /** @returns The result as it came, but for who may keep it: other callers may have other roles. */
  #send(method: string, { upstream, params }: RoutedMessage, context: ServerContext): Promise<UpstreamResult> {
    const { _meta, ...rest } = params;
    return this.#answering(context, upstream, async () => {
      const options = this.#optionsOf(context);
      const result = await upstream.request(method, { ...rest, ...readRetry(context) }, options);
      return withCacheHints(method, result, { isModern: isModern(context) });
    });
  }

  #optionsOf(context: ServerContext): UpstreamRequestOptions {
    const inputRequired = isModern(context) ? 'return' : 'answer';
    return { ...callOptionsOf(context.mcpReq), inputRequired, host: this.#bridge.hostOf(context) };
  }

  async #find(uri: string, context: ServerContext, onMissing?: () => Promise<void>): Promise<Routed> {
    const found = await this.#core.findResource(uri, this.#audience.policy);
    if (found !== undefined) return found;
    await onMissing?.();
    return this.#answering(context, undefined, () => {
      throw resourceNotFound(uri);
    });
  }

  async #findPrompt(name: string, onMissing?: () => Promise<void>): Promise<Routed> {
    const found = await this.#core.findPrompt(name, this.#audience.policy);
    if (found !== undefined) return found;
    await onMissing?.();
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Prompt not found', { name });
  }

  #request(upstream: GatewayUpstream, method: string, params: Params, context: ServerContext): Promise<UpstreamResult> {
    const { _meta, ...rest } = params;
    return this.#answering(context, upstream, async () => {
      const options = { ...callOptionsOf(context.mcpReq), host: this.#bridge.hostOf(context) };
      return passedResult(await upstream.request(method, rest, options), { isModern: isModern(context) });
    });
  }

  /** A request in the midst of which the server may ask for something. */
  #bridged(
    { method, upstream, params }: { method: string; upstream: GatewayUpstream; params: Params },
    context: ServerContext,
    record: () => CallRecord | undefined,
  ): Promise<UpstreamResult> {
    const { _meta, ...args } = params;
    const asked: BridgedRequest = { method, name: upstream.name, args, upstream, isAllowed: true };
    const send = async ({ params: further, ...options }: CallToolOptions) => {
      const result = await recordCall(() => upstream.request(method, { ...args, ...further }, options), record());
      return passedResult(result, { isModern: isModern(context) });
    };
    return this.#answering(context, upstream, () => this.#bridge.run(asked, context, send));
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
    const { policy, role, principal } = this.#audience;
    const log = upstream && forwardLog(this.#core, { upstream, policy }, context);
    try {
      if (upstream !== undefined) this.#core.rates.take({ role, principal, server: upstream.name });
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
      if (!isModern(context)) {
        this.#codes.keep(context.mcpReq.id, rpc.code);
        for (const { elicitationId } of requiredPages(rpc)) this.#expectPage(upstream, elicitationId);
      }
      return passedOn(rpc);
    }
    const { MethodNotFound, InternalError } = ProtocolErrorCode;
    const code = reasonOf(error) === 'unsupported' ? MethodNotFound : InternalError;
    return new ProtocolError(code, this.#reportFailure(error, context, upstream));
  }

  #expectPage(upstream: GatewayUpstream | undefined, elicitationId: unknown): void {
    if (upstream === undefined || typeof elicitationId !== 'string') return;
    if (takesUrls(this.server.getClientCapabilities() ?? {})) this.#wishes?.expectPage(upstream.name, elicitationId);
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
