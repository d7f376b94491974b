import type { ServerTool } from './session.js';

const maxPages = 100;
const maxTools = 10_000;

/** What listing a server's tools brought. Valid tools are kept whatever went wrong beside them. */
export interface ToolListing {
  readonly tools: readonly ServerTool[];
  /** `complete`: every page was read. `partial`: what came before the fault. `unavailable`: not even one page. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** What was wrong, for people. Empty when all was well. */
  readonly problems: readonly string[];
}

export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/**
 * Follows the cursors of `tools/list`. An empty string is a cursor like any other; one that was there before would
 * never end, so the listing stops at it.
 *
 * @param fetchPage - Sends one `tools/list` request. Its rejection ends the listing, unless `signal` ended it.
 */
export async function listTools(fetchPage: FetchPage, { signal }: { signal: AbortSignal }): Promise<ToolListing> {
  const tools = new Map<string, ServerTool>();
  const problems: string[] = [];
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  const ended = (completeness: ToolListing['completeness']): ToolListing => ({
    tools: [...tools.values()],
    completeness,
    problems,
  });

  do {
    let page: Page;
    try {
      page = parsePage(await fetchPage(cursor));
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`page ${pages + 1} failed: ${error instanceof Error ? error.message : String(error)}`);
      return ended(pages === 0 ? 'unavailable' : 'partial');
    }
    pages += 1;
    for (const entry of page.tools) problems.push(...keep(entry, tools));
    cursor = page.nextCursor;
    if (cursor === undefined) return ended('complete');
    if (seenCursors.has(cursor)) {
      problems.push(`the server repeated the cursor ${JSON.stringify(cursor.slice(0, 80))}`);
      return ended('partial');
    }
    seenCursors.add(cursor);
  } while (pages < maxPages && tools.size < maxTools);

  problems.push(`stopped after ${pages} pages and ${tools.size} tools; the limits are ${maxPages} and ${maxTools}`);
  return ended('partial');
}

/** Adds a valid tool whose name is new; says what is wrong with any other. */
function keep(entry: unknown, tools: Map<string, ServerTool>): string[] {
  if (!isServerTool(entry)) return ['an entry without a name or an object as input schema was left out'];
  if (tools.has(entry.name))
    return [`the name ${JSON.stringify(entry.name.slice(0, 80))} came twice; the first was kept`];
  if (tools.size < maxTools) tools.set(entry.name, entry);
  return [];
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function parsePage(result: unknown): Page {
  if (!isRecord(result) || !Array.isArray(result.tools)) throw new Error('the result has no array "tools"');
  const nextCursor = result.nextCursor;
  return { tools: result.tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}

function isServerTool(value: unknown): value is ServerTool {
  return isRecord(value) && typeof value.name === 'string' && value.name !== '' && isRecord(value.inputSchema);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
