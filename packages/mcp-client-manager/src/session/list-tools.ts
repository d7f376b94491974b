import type { ServerTool, ToolListing } from './session.js';

const maxPages = 100;
const maxTools = 10_000;
/** How many problems are told one by one. */
const maxProblems = 100;

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
    problems: brief(problems),
  });

  while (pages < maxPages) {
    let page: Page;
    try {
      page = parsePage(await fetchPage(cursor));
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`page ${pages + 1} failed: ${error instanceof Error ? error.message : String(error)}`);
      return ended(pages === 0 ? 'unavailable' : 'partial');
    }
    pages += 1;
    if (!keepAll(page.tools, { tools, problems })) break;
    cursor = page.nextCursor;
    if (cursor === undefined) return ended('complete');
    if (seenCursors.has(cursor)) {
      problems.push(`the server repeated the cursor ${JSON.stringify(cursor.slice(0, 80))}`);
      return ended('partial');
    }
    seenCursors.add(cursor);
  }

  problems.push(`stopped after ${pages} pages and ${tools.size} tools; the limits are ${maxPages} and ${maxTools}`);
  return ended('partial');
}

/** @returns Whether there was room for all of them. */
function keepAll(
  entries: readonly unknown[],
  listing: { tools: Map<string, ServerTool>; problems: string[] },
): boolean {
  for (const entry of entries) {
    if (listing.tools.size >= maxTools) return false;
    keep(entry, listing);
  }
  return true;
}

/** Adds a valid tool whose name is new; says what is wrong with any other. */
function keep(entry: unknown, { tools, problems }: { tools: Map<string, ServerTool>; problems: string[] }): void {
  if (!isServerTool(entry)) {
    problems.push('an entry without a name or an object as input schema was left out');
  } else if (tools.has(entry.name)) {
    problems.push(`the name ${JSON.stringify(entry.name.slice(0, 80))} came twice; the first was kept`);
  } else {
    tools.set(entry.name, entry);
  }
}

function brief(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxProblems) return problems;
  return [...problems.slice(0, maxProblems), `and ${problems.length - maxProblems} more problems like these`];
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
