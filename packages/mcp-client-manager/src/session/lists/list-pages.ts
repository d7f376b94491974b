import { isRecord } from '@x/internal/json';
import { isManagerError } from '../../errors.js';
import { noRedaction, type Redact } from '../../redaction.js';
import { type JsonLimits, jsonSize } from './json-size.js';

const defaultMaxEntries = 10_000;
/** Limits of one list, which grow in proportion to a higher `maxEntries`. */
const maxPages = 100;
const maxListBytes = 32 * 1_024 * 1_024;
/** The depth keeps recursive readers from overflowing the stack. */
const entryLimits: JsonLimits = { maxBytes: 1_024 * 1_024, maxDepth: 256 };
const maxProblems = 100;

export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/** The entries of one server list. Valid entries are kept even if others are not. */
export interface Listing<Entry> {
  readonly items: readonly Entry[];
  /** `complete`: all pages were read. `partial`: the pages before a failure. `unavailable`: no page was read. */
  readonly completeness: 'complete' | 'partial' | 'unavailable';
  /** Faults, for people. */
  readonly problems: readonly string[];
}

export interface PagedListing<Entry> extends Listing<Entry> {
  /** Failure of the page that ended the listing. */
  readonly cause?: unknown;
}

export interface ListKind<Entry> {
  readonly key: string;
  readonly isEntry: (value: unknown) => value is Entry;
  readonly nameOf: (entry: Entry) => string;
  readonly invalid: string;
  /** Reason to drop a valid entry, for people. Default: none. */
  readonly faultOf?: ((entry: Entry) => string | undefined) | undefined;
}

interface ListPagesOptions<Entry> {
  readonly kind: ListKind<Entry>;
  readonly signal: AbortSignal;
  /** Default 10 000. */
  readonly maxEntries?: number | undefined;
  /** `true`: the listing rejects. Default: failures become problems. */
  readonly isFatal?: ((error: unknown) => boolean) | undefined;
  /** Problems quote the server. Default: no redaction. */
  readonly redact?: Redact | undefined;
}

/**
 * Reads all pages of a list. Stops at a repeated cursor, which would loop forever; an empty one is valid. Rejects only
 * if `signal` aborted or a failure is fatal.
 */
export async function listPages<Entry>(
  fetchPage: FetchPage,
  {
    kind,
    signal,
    maxEntries = defaultMaxEntries,
    isFatal = () => false,
    redact = noRedaction,
  }: ListPagesOptions<Entry>,
): Promise<PagedListing<Entry>> {
  const limits = limitsFor(maxEntries);
  const gathered = new Collector(kind, redact, limits);
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
      gathered.addProblem(`page ${pages + 1} failed: ${reasonOf(error)}`);
      return { ...ended(pages === 0 ? 'unavailable' : 'partial'), cause: error };
    }
    pages += 1;
    if (!gathered.keepAll(page.values)) break;
    cursor = page.nextCursor;
    if (cursor === undefined) return ended('complete');
    if (seenCursors.has(cursor)) {
      gathered.addProblem(`the server repeated the cursor ${JSON.stringify(cursor.slice(0, 80))}`);
      return ended('partial');
    }
    seenCursors.add(cursor);
  }

  const { pages: most, entries, bytes } = limits;
  const limit = `the limits are ${most}, ${entries} and ${Math.round(bytes / 1_024 / 1_024)} MiB`;
  const remedy = kind.key === 'tools' ? '; raise "limits.maxTools"' : '';
  gathered.addProblem(`stopped after ${pages} pages and ${gathered.read} ${kind.key}; ${limit}${remedy}`);
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

class Collector<Entry> {
  readonly #kind: ListKind<Entry>;
  readonly #redact: Redact;
  readonly #limits: ListLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #problems: string[] = [];
  #moreProblems = 0;
  read = 0;
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

  /** @returns `false` if a limit was reached. */
  keepAll(values: readonly unknown[]): boolean {
    for (const value of values) {
      if (this.read >= this.#limits.entries || this.bytes >= this.#limits.bytes) return false;
      this.read += 1;
      this.#keep(value);
    }
    return true;
  }

  addProblem(problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push(this.#redact(problem));
    else this.#moreProblems += 1;
  }

  #keep(value: unknown): void {
    const { key, isEntry, nameOf, faultOf, invalid } = this.#kind;
    if (!isEntry(value)) {
      this.addProblem(invalid);
      return;
    }
    const name = nameOf(value);
    const size = jsonSize(value, entryLimits);
    if (typeof size !== 'number') {
      this.addProblem(`the entry ${brief(name)} of "${key}" was left out: ${limitText[size]}`);
      return;
    }
    const fault = faultOf?.(value);
    if (fault !== undefined) {
      this.addProblem(fault);
      return;
    }
    if (this.#entries.has(name)) {
      this.addProblem(`the name ${brief(name)} came twice; the first was kept`);
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
