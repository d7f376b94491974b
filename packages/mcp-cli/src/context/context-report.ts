import { CALL_TOOL_VIEW } from '@x/internal/views';
import { estimateTokens } from './estimate-tokens.js';

/** A model usually searches once and then makes a few calls. */
export const requestsPerSearch = 5;
const hitsPerSearch = 5;

interface Definition {
  readonly name: string;
  readonly server?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

export interface ContextFacts {
  /** All tools of the view, the search among them if the role may use it. */
  readonly tools: readonly Definition[];
  /** An answer of the search, and the number of tools in it. */
  readonly answer?: { readonly text: string; readonly tools: number } | undefined;
  /** The search by which a model loads deferred tools. */
  readonly deferredSearch: unknown;
  readonly turns: number;
}

/** Estimated tokens of what a model is sent about tools. */
export interface ContextReport {
  /** Requests of the session. */
  readonly turns: number;
  /** Searches of the session. */
  readonly searches: number;
  /** Largest first. Without `server`: the tools of `mcpx` itself. */
  readonly servers: readonly { readonly server?: string; readonly tools: number; readonly tokens: number }[];
  /** Largest first. */
  readonly tools: readonly { readonly name: string; readonly server?: string; readonly tokens: number }[];
  readonly surfaces: readonly SurfaceCost[];
}

interface SurfaceCost {
  /** `full`: all definitions. `search`: the two constant tools. `defer`: tool search of the model's provider. */
  readonly surface: 'full' | 'search' | 'defer';
  readonly perRequest: number;
  /** Added to each request after a search. */
  readonly perSearch: number;
  readonly session: number;
}

export function contextReport({ tools: given, answer, deferredSearch, turns }: ContextFacts): ContextReport {
  const tools = given
    .map((tool) => ({ name: tool.name, ...serverOf(tool), tokens: definitionTokens(tool) }))
    .toSorted((one, other) => other.tokens - one.tokens);
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const search = given.find(({ name, server }) => server === undefined && name !== CALL_TOOL_VIEW.name);
  const starts = Array.from({ length: Math.ceil(turns / requestsPerSearch) }, (_, at) => at * requestsPerSearch + 1);
  const readings = starts.reduce((sum, start) => sum + turns - start, 0);
  const cost = (surface: SurfaceCost['surface'], perRequest: number, perSearch: number): SurfaceCost => ({
    surface,
    perRequest,
    perSearch,
    session: perRequest * turns + perSearch * readings,
  });
  const found = tools.filter(({ server }) => server !== undefined);
  const hits = Math.min(hitsPerSearch, found.length);
  const perHit = found.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, found.length);
  return {
    turns,
    searches: starts.length,
    servers: serversOf(tools),
    tools,
    surfaces: [
      cost('full', total, 0),
      ...(search === undefined || answer === undefined
        ? []
        : [
            cost('search', definitionTokens(search) + definitionTokens(CALL_TOOL_VIEW), answerTokens(answer, hits)),
            cost('defer', estimateTokens(JSON.stringify(deferredSearch)), Math.round(perHit * hits)),
          ]),
    ],
  };
}

function answerTokens({ text, tools }: NonNullable<ContextFacts['answer']>, hits: number): number {
  return Math.round((estimateTokens(text) / Math.max(1, tools)) * (tools === 0 ? 1 : hits));
}

export function definitionTokens({ name, description, inputSchema }: Definition): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}

function serversOf(tools: ContextReport['tools']): ContextReport['servers'] {
  const servers = new Map<string | undefined, { tools: number; tokens: number }>();
  for (const { server, tokens } of tools) {
    const sum = servers.get(server) ?? { tools: 0, tokens: 0 };
    servers.set(server, { tools: sum.tools + 1, tokens: sum.tokens + tokens });
  }
  return Array.from(servers, ([server, sum]) => ({ ...serverOf({ server }), ...sum })).toSorted(
    (one, other) => other.tokens - one.tokens,
  );
}

function serverOf({ server }: Pick<Definition, 'server'>): { readonly server?: string } {
  return server === undefined ? {} : { server };
}
