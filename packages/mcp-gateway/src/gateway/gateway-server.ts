import {
  type CallToolResult,
  isInputRequiredResult,
  type McpServer,
  ProtocolErrorCode,
  type RequestId,
  type ServerCapabilities,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { peekTool } from '@x/internal/views';
import type { DirectCalls } from '../server/direct-calls.js';
import type { HeldView } from '../server/held-view.js';
import { RegistryServer } from '../server/registry-server.js';
import { capabilitiesOf, selfDescriptionOf } from './capabilities.js';
import { type ClientParts, partsOf } from './client-parts.js';
import type { GatewayCore } from './gateway-core.js';
import type { ClientWishes, GatewayScope, WishOptions } from './gateway-scope.js';
import type { PartKind } from './parts/part-kinds.js';
import { PartRequests } from './parts/part-requests.js';
import { OtherRequests } from './passing-on/other-requests.js';
import { UNREAD_FIELDS } from './passing-on/unread-fields.js';
import { rpcErrorOf } from './rpc-error.js';
import { taskMethods } from './tasks/task-methods.js';
import { withTaskSupport } from './tasks/task-support.js';
import { contextOf, GatewayCalls } from './tools/gateway-calls.js';
import { type ToolCallParams, ToolCalls } from './tools/tool-calls.js';
import { answerTools } from './tools/tool-list.js';

/** One connection's protocol server over everything that an audience may use: which request is answered by whom. */
export class GatewayServer extends RegistryServer {
  readonly #parts: ClientParts;
  readonly #toolCalls: ToolCalls;
  /** What has come of calls that were made already, by their requests. */
  readonly #prepared = new Map<RequestId, () => Promise<unknown>>();
  readonly #preparedOnly: (() => Promise<unknown>) | undefined;
  readonly direct: DirectCalls | undefined;

  /** @param wishes - Left out for a connection that lasts one request. */
  constructor(core: GatewayCore, held: HeldView, scope: GatewayScope, wishes?: ClientWishes) {
    super(held, selfDescriptionOf(core, core.audiences.ofView(held.current)), scope);
    const capabilitiesOfClient = () => this.server.getClientCapabilities();
    this.#parts = partsOf({ core, held, scope, wishes, connection: this, capabilities: capabilitiesOfClient });
    this.#preparedOnly = scope.prepared;
    this.direct = scope.era === 'legacy' ? this.#directCalls() : undefined;
    this.#toolCalls = new ToolCalls(this.#parts);
    const capabilities = capabilitiesOf(core, { era: scope.era, audience: this.#parts.audience() });
    this.server.registerCapabilities(capabilities);
    this.server.setRequestHandler('tools/list', ({ params }) => {
      const audience = this.#parts.audience();
      core.toolCollisions?.note(audience);
      const page = answerTools(core, audience, params?.cursor);
      return withTaskSupport(page, core, { audience, offered: capabilities.tasks }) as never;
    });
    this.server.setRequestHandler('tools/call', ({ params }, context) => this.#callTool(params, context));
    this.#serveParts(new PartRequests(this.#parts), capabilities, wishes);
    if (capabilities.logging !== undefined) {
      this.server.setRequestHandler('logging/setLevel', async ({ params }, context) => {
        await wishes?.setLogLevel(params.level, this.#wishOptions(context));
        return {};
      });
    }
    this.#serveOthers(new OtherRequests(this.#parts), taskMethods(capabilities, scope.era), scope);
  }

  override async connect(transport: Transport): ReturnType<McpServer['connect']> {
    this.#parts.codes.follow(transport);
    this.#parts.results.follow(transport);
    await super.connect(transport);
  }

  prepare(id: RequestId, settle: () => Promise<unknown>): void {
    this.#prepared.set(id, settle);
  }

  #directCalls(): DirectCalls {
    const { server } = this;
    return new GatewayCalls({
      parts: this.#parts,
      contextOf: (call, signal) => {
        const related = { relatedRequestId: call.id };
        // As the library's own context has them; of its two forms, a gateway's requests have the one with a schema.
        const send = (request: never, schema: never, options?: object) =>
          server.request(request, schema, { ...options, ...related });
        const notify = (notification: Parameters<typeof server.notification>[0]) =>
          server.notification(notification, related);
        return contextOf(call, signal, { send: send as never, notify });
      },
      stamp: (result) => result,
    });
  }

  async #callTool(params: ToolCallParams, context: ServerContext) {
    const { id } = context.mcpReq;
    const settle = this.#prepared.get(id) ?? this.#preparedOnly;
    this.#prepared.delete(id);
    const result = settle === undefined ? await this.#toolCalls.call(params, context) : await settle();
    if (isInputRequiredResult(result)) return result;
    const { view } = this.#parts.audience();
    return this.server.projectCallToolResult(result as CallToolResult, peekTool(view, params.name)?.outputSchema);
  }

  // Results are what servers have sent; that they are ones is the servers' affair, and clients check it.
  #serveParts(
    parts: PartRequests,
    { resources, prompts, completions }: ServerCapabilities,
    wishes?: ClientWishes,
  ): void {
    if (resources !== undefined) this.#serveResources(parts, wishes);
    if (prompts !== undefined) {
      this.server.setRequestHandler('prompts/list', ({ params }) => parts.list('prompts', params) as never);
      this.server.setRequestHandler('prompts/get', ({ params }, context) => parts.prompt(params, context) as never);
    }
    if (completions !== undefined) {
      const complete = parts.complete.bind(parts);
      this.server.setRequestHandler('completion/complete', ({ params }, context) => complete(params, context) as never);
    }
  }

  #serveResources(parts: PartRequests, wishes: ClientWishes | undefined): void {
    const list =
      (kind: PartKind) => (request: { readonly params?: { readonly cursor?: string | undefined } | undefined }) =>
        parts.list(kind, request.params) as never;
    this.server.setRequestHandler('resources/list', list('resources'));
    this.server.setRequestHandler('resources/templates/list', list('resourceTemplates'));
    this.server.setRequestHandler('resources/read', ({ params }, context) => parts.read(params, context) as never);
    this.server.setRequestHandler('resources/subscribe', ({ params }, context) =>
      this.#parts.answering.run(context, undefined, async () => {
        await wishes?.subscribe(params.uri, this.#wishOptions(context));
        return {};
      }),
    );
    this.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      wishes?.unsubscribe(params.uri);
      return {};
    });
  }

  #wishOptions(context: ServerContext): WishOptions {
    return {
      signal: context.mcpReq.signal,
      hostOf: (upstream) => this.#parts.bridge.hostOf(context, upstream),
    };
  }

  #serveOthers(others: OtherRequests, tasks: readonly string[], { onUnknownMethod }: GatewayScope): void {
    for (const method of tasks) {
      this.server.setRequestHandler(method, { params: UNREAD_FIELDS }, (params, context) =>
        others.askTask(method, params as Readonly<Record<string, unknown>>, context),
      );
    }
    this.server.fallbackNotificationHandler = ({ method, params = {} }) => others.noteOn(method, params);
    this.server.fallbackRequestHandler = ({ method, params = {} }, context) =>
      others.passOn(method, params, context).catch((error) => {
        if (rpcErrorOf(error)?.code === ProtocolErrorCode.MethodNotFound) onUnknownMethod?.();
        throw error;
      });
  }
}
