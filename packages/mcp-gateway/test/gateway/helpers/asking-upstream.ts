import type { SourceCallOptions, SourceTool, ToolCallResult, ToolSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import type { Registry } from '@x/mcp-registry';
import type { GatewayUpstream, GatewayUpstreams, UpstreamResult } from '../../../src/gateway/upstream.js';

/** What a tool, resource or prompt of the server does, with the options that the gateway gave. */
export type Ask = (options: SourceCallOptions, params: Readonly<Record<string, unknown>>) => Promise<UpstreamResult>;

export interface AskingUpstream extends GatewayUpstream, ToolSource {
  readonly name: string;
  readonly state: 'running';
  /** Every request with its options, in order. */
  readonly requests: {
    readonly method: string;
    readonly params: UpstreamResult;
    readonly options: SourceCallOptions;
  }[];
  rootsChanges: number;
}

/** A server that asks in the middle of its work, as a client manager makes it look. */
export function createAskingUpstream(
  name: string,
  era: 'legacy' | 'modern' | undefined,
  asks: Readonly<Record<string, Ask>>,
): AskingUpstream {
  const tools: readonly SourceTool[] = Object.keys(asks).map((tool) => ({
    name: tool,
    inputSchema: { type: 'object' },
  }));
  const run = async (method: string, key: string, params: UpstreamResult, options: SourceCallOptions) => {
    upstream.requests.push({ method, params, options });
    const ask = asks[key];
    if (ask === undefined) throw Object.assign(new Error(`There is no ${key}`), { code: -32_602 });
    return ask(options, params);
  };
  const list = async (items: readonly UpstreamResult[]) => ({ items, completeness: 'complete' as const, problems: [] });
  const upstream: AskingUpstream = {
    name,
    state: 'running',
    session: era && { era, capabilities: { resources: {}, prompts: {}, completions: {} } },
    requests: [],
    rootsChanges: 0,
    listTools: () => tools,
    callTool: async (tool, args, options) =>
      (await run('tools/call', tool, { arguments: args, ...options.params }, options)) as ToolCallResult,
    listResources: () => list(tools.map((tool) => ({ uri: `ask:${tool.name}`, name: tool.name }))),
    listResourceTemplates: () => list([]),
    listPrompts: () => list(tools.map((tool) => ({ name: tool.name, arguments: [{ name: 'topic' }] }))),
    request: (method, params, options) => {
      const { uri, name: prompt, ref } = params as Record<string, { name?: string; uri?: string } & string>;
      const key = prompt ?? ref?.name ?? (uri ?? ref?.uri)?.replace('ask:', '');
      return run(method, String(key), params, options as SourceCallOptions);
    },
    subscribeResource: async () => undefined,
    unsubscribeResource: async () => undefined,
    setLogLevel: async () => undefined,
    notifyRootsChanged: async () => void upstream.rootsChanges++,
  };
  return upstream;
}

export interface AskingUpstreams extends GatewayUpstreams {
  readonly emitter: Emitter<{ 'elicitation-completed': { readonly server: string; readonly elicitationId: string } }>;
}

export async function attachAll(registry: Registry, servers: readonly AskingUpstream[]): Promise<AskingUpstreams> {
  const emitter: AskingUpstreams['emitter'] = new Emitter();
  for (const server of servers) await registry.attach(server).ready;
  return { emitter, events: emitter as unknown as GatewayUpstreams['events'], servers: () => servers };
}

/** The text of a tool's result, as JSON. */
export function toText(value: unknown): ToolCallResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** Asks, and gives what came of it. */
export function asking(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  server = 'old',
): (options: SourceCallOptions) => Promise<UpstreamResult> {
  return async ({ handler, signal = new AbortController().signal }) => {
    try {
      return ((await handler?.answer({ method, params }, { server, signal })) ?? {}) as UpstreamResult;
    } catch (error) {
      const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
      return { refused: { code, message, data } };
    }
  };
}
