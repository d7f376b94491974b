import { optionTable } from '@x/internal/options';
import type { ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';

/** A search. */
export interface SearchRequest {
  /**
   * Words for a purpose, or a tool's name: the public name, or `server/tool`, `server.tool` or `tool`, in any case.
   * `*` or nothing lists. At most 1 000 characters, of which the first 64 different words count.
   */
  readonly query: string;
  /** Reads `query` as a regular expression in RE2 syntax, at most 256 characters, case-sensitive. Default `false`. */
  readonly useRegex?: boolean | undefined;
  /** Only tools of this server. */
  readonly server?: string | undefined;
  /** Maximum number of tools in the answer, 1 to 100. Default 10. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier answer to the same query and options; `limit` and `detail` may differ. */
  readonly cursor?: string | undefined;
  /** `names` leaves out title and description, `full` adds the schemas. Default `summary`. */
  readonly detail?: SearchDetail | undefined;
  /** `ready`: only tools whose source is `running` or `degraded`, so that a call need not start anything. Default `all`. */
  readonly include?: SearchScope | undefined;
}

/** Detail of each tool in the answer. */
export type SearchDetail = (typeof DETAILS)[number];
/** `ready`: only tools whose source is `running` or `degraded`. `all`: the others, too. */
export type SearchScope = (typeof SCOPES)[number];

/** Options of a search. */
export interface SearchOptions {
  /** Ends the search; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Kind of an answer: by words, by the name of a tool (then by words), by pattern, or a list. */
export type SearchMode = (typeof MODES)[number];

/** The result of a query at one revision. */
export interface SearchResult {
  readonly mode: SearchMode;
  /** Number of matching tools, before the limit. With `timedOut`, among the scanned ones. */
  readonly total: number;
  /** Number of tools in `tools`. */
  readonly returned: number;
  /** True if there are further matches. */
  readonly truncated: boolean;
  /** Cursor of the next page. Absent at the end, and where the order would not be stable, as with `timedOut`. */
  readonly nextCursor?: string;
  readonly revision: number;
  /** Best first; a list in the order of names. */
  readonly tools: readonly SearchHit[];
  /** Words of the query that no tool has. */
  readonly unmatchedTerms: readonly string[];
  /** The best match has little of the query: probably none is the intended one. A hint, not a verdict. */
  readonly weak?: true;
  /** After a miss, a weak match or an unfinished pattern: what was tried, and what to try next. */
  readonly hint?: string;
  /** After a miss: public names similar to the query, best first. */
  readonly suggestions?: readonly string[];
  /** With a pattern: number of scanned tools. */
  readonly scanned?: number;
  /** The pattern exceeded its 250 milliseconds; the answer covers the `scanned` tools only. */
  readonly timedOut?: true;
}

/** A tool as it is in the registry, with the reasons for its match. */
export interface SearchHit
  extends Pick<ToolView, 'name' | 'server' | 'tool' | 'title' | 'description' | 'state' | 'outputSchema'>,
    Partial<Pick<ToolView, 'inputSchema'>> {
  /** Comparable within one answer only. */
  readonly score: number;
  /** Share of the query that the tool has, 0 to 1. Comparable across answers. */
  readonly coverage: number;
  /** Fields in which the words of the query were found. With a pattern: the first matching field, without terms. */
  readonly matched: readonly SearchMatch[];
}

/** The words of the query in one field of a tool. */
export interface SearchMatch {
  /** `name`, `server`, `title`, `keywords`, `description`, `parameters` or `parameterDescriptions`. */
  readonly field: string;
  readonly terms: readonly string[];
}

export const MODES = ['keyword', 'regex', 'list', 'name'] as const;
export const DETAILS = ['names', 'summary', 'full'] as const;
export const SCOPES = ['ready', 'all'] as const;
export const MAX_QUERY_LENGTH = 1_000;
export const MAX_PATTERN_LENGTH = 256;
export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;
/** Far longer than any of our cursors. */
export const MAX_CURSOR_LENGTH = 200;

const text = {
  kind: 'other',
  check: (value: unknown) => (typeof value === 'string' ? undefined : `a text, got ${JSON.stringify(value)}`),
} as const;
const searchRequest = optionTable<SearchRequest>()({
  query: { ...text, required: true },
  useRegex: { kind: 'flag', default: false },
  server: text,
  limit: { kind: 'number', min: 1, max: MAX_LIMIT, default: DEFAULT_LIMIT },
  cursor: text,
  detail: { kind: 'word', words: DETAILS, default: 'summary' },
  include: { kind: 'word', words: SCOPES, default: 'all' },
});

export type SearchPolicy = ReturnType<(typeof searchRequest)['read']>;

/**
 * Fills in the defaults.
 *
 * @throws {TypeError} naming the option that is misspelt, has a wrong type or is out of its bounds.
 * @throws {RegistryError} `invalid-query` if the query or pattern is too long.
 */
export function resolveSearch(request: SearchRequest): SearchPolicy {
  const policy = searchRequest.read(request);
  const { query, useRegex } = policy;
  const longest = useRegex ? MAX_PATTERN_LENGTH : MAX_QUERY_LENGTH;
  if (query.length > longest) {
    const what = useRegex ? 'pattern' : 'query';
    const message = `A search takes a ${what} of at most ${longest} characters, got ${query.length}; say it in fewer words`;
    throw new RegistryError('invalid-query', message);
  }
  return { ...policy, query: useRegex ? query : query.trim() };
}
