import { isRecord } from '@x/internal/json';
import { isManagerError } from '../errors.js';
import { asItIs, type Redact } from '../redaction.js';
import { type JsonLimits, jsonSize } from './json-size.js';

/** Entries that are read, whether or not they are kept. */
const defaultMaxEntries = 10_000;
/** Pages, and bytes of JSON of all entries that are kept, up to that number of entries; in proportion beyond it. */
const maxPages = 100;
const maxListBytes = 32 * 1_024 * 1_024;
/** The same for each. Nobody who reads a list has to fear for their stack. */
const entryLimits: JsonLimits = { maxBytes: 1_024 * 1_024, maxDepth: 256 };
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

export interface PagedListing<Entry> extends Listing<Entry> {
  /** What the page failed with that ended the listing, if one did. */
  readonly cause?: unknown;
}

/** What a list consists of, and what tells its entries apart. */
export interface ListKind<Entry> {
  /** Where the entries are in each page, which is also what people call them. */
  readonly key: string;
  readonly isEntry: (value: unknown) => value is Entry;
  readonly nameOf: (entry: Entry) => string;
  /** What is said of an entry that is none. */
  readonly invalid: string;
  /** Why an entry is left out although it is one, for people. Default: none is. */
  readonly faultOf?: ((entry: Entry) => string | undefined) | undefined;
}

export interface ListPagesOptions<Entry> {
  readonly kind: ListKind<Entry>;
  readonly signal: AbortSignal;
  /** Default 10 000. */
  readonly maxEntries?: number | undefined;
  /** Whether the listing rejects with what a page failed with. Default: never; it is a problem to be told. */
  readonly isFatal?: ((error: unknown) => boolean) | undefined;
  /** Goes over the problems, which quote the server. Default: leaves them as they are. */
  readonly redact?: Redact | undefined;
}

/**
 * Follows the cursors of a paginated list. An empty string is a cursor like any other; one that was there before would
 * never end, so the listing stops at it.
 *
 * @param fetchPage - Sends one request for a page. Its rejection ends the listing, unless `signal` ended it.
 */
export async function listPages<Entry>(
  fetchPage: FetchPage,
  { kind, signal, maxEntries = defaultMaxEntries, isFatal = () => false, redact = asItIs }: ListPagesOptions<Entry>,
): Promise<PagedListing<Entry>> {
  const limits = limitsFor(maxEntries);
  const gathered = new Gathering(kind, redact, limits);
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  const ended = (completeness: Listing<Entry>['completeness']): Listing<Entry> => ({
    items: gathered.items,
    completeness,
    problems: gathered.problems,
  });

  while (pages < limits.pages) {
    let page: Page;
    try {
      page = parsePage(await fetchPage(cursor), kind.key);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      gathered.blame(`page ${pages + 1} failed: ${reasonOf(error)}`);
      return { ...ended(pages === 0 ? 'unavailable' : 'partial'), cause: error };
    }
    pages += 1;
    if (!gathered.keepAll(page.values)) break;
    cursor = page.nextCursor;
    if (cursor === undefined) return ended('complete');
    if (seenCursors.has(cursor)) {
      gathered.blame(`the server repeated the cursor ${JSON.stringify(cursor.slice(0, 80))}`);
      return ended('partial');
    }
    seenCursors.add(cursor);
  }

  const { pages: most, entries, bytes } = limits;
  const limit = `the limits are ${most}, ${entries} and ${Math.round(bytes / 1_024 / 1_024)} MiB`;
  const remedy = kind.key === 'tools' ? '; raise "maxTools"' : '';
  gathered.blame(`stopped after ${pages} pages and ${gathered.looks} ${kind.key}; ${limit}${remedy}`);
  return ended('partial');
}

interface ListLimits {
  readonly pages: number;
  readonly entries: number;
  readonly bytes: number;
}

function limitsFor(entries: number): ListLimits {
  const factor = Math.max(1, entries / defaultMaxEntries);
  return { pages: Math.ceil(maxPages * factor), entries, bytes: maxListBytes * factor };
}

/** What a listing has brought so far. */
class Gathering<Entry> {
  readonly #kind: ListKind<Entry>;
  readonly #redact: Redact;
  readonly #limits: ListLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #problems: string[] = [];
  #moreProblems = 0;
  /** Entries that were looked at. */
  looks = 0;
  /** Of those that were kept. */
  bytes = 0;

  constructor(kind: ListKind<Entry>, redact: Redact, limits: ListLimits) {
    this.#kind = kind;
    this.#redact = redact;
    this.#limits = limits;
  }

  get items(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  get problems(): readonly string[] {
    const more = this.#moreProblems;
    return more === 0 ? this.#problems : [...this.#problems, `and ${more} more problems like these`];
  }

  /** @returns Whether there was room for all of them. */
  keepAll(values: readonly unknown[]): boolean {
    for (const value of values) {
      if (this.looks >= this.#limits.entries || this.bytes >= this.#limits.bytes) return false;
      this.looks += 1;
      this.#keep(value);
    }
    return true;
  }

  blame(problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push(this.#redact(problem));
    else this.#moreProblems += 1;
  }

  /** Adds a valid entry whose name is new; says what is wrong with any other. */
  #keep(value: unknown): void {
    const { key, isEntry, nameOf, faultOf, invalid } = this.#kind;
    if (!isEntry(value)) {
      this.blame(invalid);
      return;
    }
    const name = nameOf(value);
    const size = jsonSize(value, entryLimits);
    if (typeof size !== 'number') {
      this.blame(`the entry ${brief(name)} of "${key}" was left out: ${limitText[size]}`);
      return;
    }
    const fault = faultOf?.(value);
    if (fault !== undefined) {
      this.blame(fault);
      return;
    }
    if (this.#entries.has(name)) {
      this.blame(`the name ${brief(name)} came twice; the first was kept`);
      return;
    }
    this.#entries.set(name, value);
    this.bytes += size;
  }
}

const limitText = {
  'too-deep': `it has more than ${entryLimits.maxDepth} levels`,
  'too-large': `it has more than ${entryLimits.maxBytes} bytes`,
};

function brief(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

/** The server's own words where there are any: who reads the problems knows which list they are about. */
function reasonOf(error: unknown): string {
  if (isManagerError(error) && error.rpc) return error.rpc.message;
  return error instanceof Error ? error.message : String(error);
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
