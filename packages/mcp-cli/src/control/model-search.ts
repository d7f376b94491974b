import { BUILT_IN_TOOLS, SEARCH_TOOL_NAME } from '@x/internal/names';
import { CALL_TOOL_VIEW } from '@x/internal/views';
import type { ToolView } from '@x/mcp-registry';
import type { Stack } from '../compose.js';
import { viewFor } from '../config/role-view.js';
import { definitionTokens } from '../context/context-report.js';
import { estimateTokens } from '../context/estimate-tokens.js';
import { commandClient } from '../elicitation/command-client.js';
import type { ControlBase } from './control-base.js';
import type { ModelSearchReport } from './reports.js';

/** As many as the answer of the search tool has. */
const shownHits = 5;

interface ModelSearch {
  readonly query: string;
  readonly role?: string | undefined;
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the search tool as a model with that role would, and measures it beside a list of all tools. */
export async function modelSearch(
  stack: Stack,
  { query, role, client, signal }: ModelSearch,
  base: ControlBase,
): Promise<ModelSearchReport> {
  const view = viewFor(stack, role);
  const tools = view.list();
  const { tools: found, total, unmatchedTerms, weak } = await view.search({ query, limit: shownHits }, { signal });
  const search = tools.find(({ name, server }) => name === SEARCH_TOOL_NAME && server === undefined);
  const handler = commandClient(async () => ({ action: 'cancel' }), base, client);
  const answer = view.call(SEARCH_TOOL_NAME, { query }, { handler, ...(signal && { signal }) }).then(
    ({ content }) => {
      const text = base.redact(content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
      return { answer: { text, tokens: estimateTokens(text) } };
    },
    (error: unknown) => {
      signal?.throwIfAborted();
      return { refusal: base.toControlError(error).message };
    },
  );
  const others = tools.filter(({ name, server }) => server !== undefined || !BUILT_IN_TOOLS.has(name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    ...(await answer),
    hits: found.map(({ name, server, tool, score, coverage, matched }) => {
      const definition = byName.get(name);
      const tokens = definition === undefined ? 0 : tokensOf(definition);
      return { name, tool, score, coverage, matched, tokens, ...(server !== undefined && { server }) };
    }),
    total,
    unmatchedTerms,
    isWeak: weak === true,
    perRequest: {
      search: (search === undefined ? 0 : tokensOf(search)) + definitionTokens(CALL_TOOL_VIEW),
      all: others.reduce((sum, tool) => sum + tokensOf(tool), 0),
    },
    tools: others.length,
  };
}

/** Each definition is counted once. */
const known = new WeakMap<ToolView, number>();

function tokensOf(tool: ToolView): number {
  const tokens = known.get(tool) ?? definitionTokens(tool);
  known.set(tool, tokens);
  return tokens;
}
