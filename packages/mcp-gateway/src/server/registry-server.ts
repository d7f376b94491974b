import { McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { peekTool } from '@x/internal/views';
import { callForClient } from '../serving/call-for-client.js';
import { callOptionsOf } from '../serving/client-call.js';
import type { HeldView } from './held-view.js';
import { toProtocolResult } from './protocol-result.js';
import type { ServingPolicy } from './serving-policy.js';
import { answerToolPage } from './tool-page.js';

export interface ServerScope {
  /** `public`: the listing is the same for everyone who can reach the server, so that it may be kept for all of them. */
  readonly cacheScope: 'public' | 'private';
}

/** One connection's protocol server over a view, not connected yet. Whoever connects it announces changes. */
export function createRegistryServer(view: HeldView, policy: ServingPolicy, scope: ServerScope): McpServer {
  return new RegistryServer(view, policy, scope);
}

export class RegistryServer extends McpServer {
  readonly #view: HeldView;

  constructor(view: HeldView, policy: ServingPolicy, { cacheScope }: ServerScope) {
    const { name, version, instructions, listTtlMs, pageSize, onError } = policy;
    const hint = { ttlMs: listTtlMs, cacheScope };
    const capabilities = { tools: { listChanged: true } };
    super({ name, version }, { capabilities, instructions, cacheHints: { 'tools/list': hint } });
    this.#view = view;
    // The library's own handlers would list what was registered with it, and nothing is.
    this.server.setRequestHandler('tools/list', ({ params }) =>
      answerToolPage(this.#view.current, pageSize, params?.cursor),
    );
    this.server.setRequestHandler('tools/call', ({ params }, context) => this.#call(params, context));
    if (onError !== undefined) this.server.onerror = onError;
  }

  /** Asked by the library before a call over HTTP, to compare the headers that repeat arguments with the arguments. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return peekTool(this.#view.current, name)?.inputSchema;
  }

  async #call(
    { name, arguments: args }: { name: string; arguments?: Record<string, unknown> | undefined },
    context: ServerContext,
  ) {
    const view = this.#view.current;
    const answer = await callForClient(view, name, args, callOptionsOf(context.mcpReq));
    if (answer.kind === 'unknown-tool') {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, answer.error.message);
    }
    return this.server.projectCallToolResult(toProtocolResult(answer.result), peekTool(view, name)?.outputSchema);
  }
}
