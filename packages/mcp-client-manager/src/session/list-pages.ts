import { isManagerError } from '../errors.js';
import { isRecord } from './request-lane.js';

const maxPages = 100;
const maxEntries = 10_000;
/** How many problems are told one by one. */
const maxProblems = 100;

export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/** What one of a server's lists brought. Valid entries are kept whatever went wrong beside them. */
export interface Listing<Entry> {
  readonly items: readonly Entry[];
  /** `complete`: every page was read. `partial`: what came before the fault. `unavailable`: not even one page. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** What was wrong, for people. Empty when all was well. */
  readonly problems: readonly string[];
}

/** What a list consists of, and what tells its entries apart. */
export interface ListKind<Entry> {
  /** Where the entries are in each page, which is also what people call them. */
  readonly key: string;
  readonly isEntry: (value: unknown) => value is Entry;
  readonly nameOf: (entry: Entry) => string;
  /** What is said of an entry that is none. */
  readonly invalid: string;
}

/**
 * Follows the cursors of a paginated list. An empty string is a cursor like any other; one that was there before would
 * never end, so the listing stops at it.
 *
 * @param fetchPage - Sends one request for a page. Its rejection ends the listing, unless `signal` ended it.
 */
export async function listPages<Entry>(
  fetchPage: FetchPage,
  { kind, signal }: { kind: ListKind<Entry>; signal: AbortSignal },
): Promise<Listing<Entry>> {
  const entries = new Map<string, Entry>();
  const problems: string[] = [];
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  const ended = (completeness: Listing<Entry>['completeness']): Listing<Entry> => ({
    items: [...entries.values()],
    completeness,
    problems: brief(problems),
  });

  while (pages < maxPages) {
    let page: Page;
    try {
      page = parsePage(await fetchPage(cursor), kind.key);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`page ${pages + 1} failed: ${reasonOf(error)}`);
      return ended(pages === 0 ? 'unavailable' : 'partial');
    }
    pages += 1;
    if (!keepAll(page.values, { entries, problems, kind })) break;
    cursor = page.nextCursor;
    if (cursor === undefined) return ended('complete');
    if (seenCursors.has(cursor)) {
      problems.push(`the server repeated the cursor ${JSON.stringify(cursor.slice(0, 80))}`);
      return ended('partial');
    }
    seenCursors.add(cursor);
  }

  const limits = `the limits are ${maxPages} and ${maxEntries}`;
  problems.push(`stopped after ${pages} pages and ${entries.size} ${kind.key}; ${limits}`);
  return ended('partial');
}

interface Gathering<Entry> {
  readonly entries: Map<string, Entry>;
  readonly problems: string[];
  readonly kind: ListKind<Entry>;
}

/** @returns Whether there was room for all of them. */
function keepAll<Entry>(values: readonly unknown[], gathering: Gathering<Entry>): boolean {
  for (const value of values) {
    if (gathering.entries.size >= maxEntries) return false;
    keep(value, gathering);
  }
  return true;
}

/** Adds a valid entry whose name is new; says what is wrong with any other. */
function keep<Entry>(value: unknown, { entries, problems, kind }: Gathering<Entry>): void {
  if (!kind.isEntry(value)) {
    problems.push(kind.invalid);
    return;
  }
  const name = kind.nameOf(value);
  if (entries.has(name)) problems.push(`the name ${JSON.stringify(name.slice(0, 80))} came twice; the first was kept`);
  else entries.set(name, value);
}

/** The server's own words where there are any: who reads the problems knows which list they are about. */
function reasonOf(error: unknown): string {
  if (isManagerError(error) && error.rpc) return error.rpc.message;
  return error instanceof Error ? error.message : String(error);
}

function brief(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxProblems) return problems;
  return [...problems.slice(0, maxProblems), `and ${problems.length - maxProblems} more problems like these`];
}

interface Page {
  readonly values: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function parsePage(result: unknown, key: string): Page {
  const values = isRecord(result) ? result[key] : undefined;
  if (!isRecord(result) || !Array.isArray(values)) throw new Error(`the result has no array "${key}"`);
  const { nextCursor } = result;
  return { values, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}
