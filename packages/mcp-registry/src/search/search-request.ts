import { optionTable } from '@x/internal/options';
import type { ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';

/** What is searched for. */
export interface SearchRequest {
  /**
   * Words for what is needed, or a tool's name: as it is called, or as `server/tool`, `server.tool` or `tool`, in any
   * case. `*` or nothing lists. At most 1 000 characters, of which the first 64 different words count.
   */
  readonly query: string;
  /** Reads `query` as a regular expression in RE2 syntax, at most 256 characters, case-sensitive. Default `false`. */
  readonly useRegex?: boolean | undefined;
  /** Only tools of this server. */
  readonly server?: string | undefined;
  /** Most tools to answer with, 1 to 100. Default 10. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier answer to the same query and options; `limit` and `detail` may differ. */
  readonly cursor?: string | undefined;
  /** `names` leaves out title and description, `full` adds the schemas. Default `summary`. */
  readonly detail?: SearchDetail | undefined;
  /** `ready`: only tools whose source is `running` or `degraded`, so that a call need not start anything. Default `all`. */
  readonly include?: SearchScope | undefined;
}

/** How much of each tool is answered. */
export type SearchDetail = (typeof DETAILS)[number];
/** `ready`: only tools whose source is `running` or `degraded`. `all`: the others, too. */
export type SearchScope = (typeof SCOPES)[number];

/** When to stop a search. */
export interface SearchOptions {
  /** Ends the search; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How an answer came about: by words, as the name of a tool (and by words after it), by pattern, or as a list. */
export type SearchMode = (typeof MODES)[number];

/** What the registry has for a query at one revision. */
export interface SearchResult {
  readonly mode: SearchMode;
  /** How many tools match, before the limit. With `timedOut`, how many of those that were looked at. */
  readonly total: number;
  /** How many of them are in `tools`. */
  readonly returned: number;
  /** More match than were answered up to here. */
  readonly truncated: boolean;
  /** Asks for the next tools. Left out at the end, and where the order would not hold, as with `timedOut`. */
  readonly nextCursor?: string;
  readonly revision: number;
  /** Best first; a list in the order of names. */
  readonly tools: readonly SearchHit[];
  /** Words of the query that none of the tools has. */
  readonly unmatchedTerms: readonly string[];
  /** The best match has little of what was asked for: probably none of them is what was meant. A hint, not a verdict. */
  readonly weak?: true;
  /** After a miss, a weak match or an unfinished pattern: what was tried, and what to try. */
  readonly hint?: string;
  /** After a miss: public names that are near to the query, best first. */
  readonly suggestions?: readonly string[];
  /** With a pattern: how many tools were looked at. */
  readonly scanned?: number;
  /** The pattern took longer than its 250 milliseconds; the answer is of the `scanned` tools only. */
  readonly timedOut?: true;
}

/** A tool as it stands in the registry, and why it is here. */
export interface SearchHit
  extends Pick<ToolView, 'name' | 'server' | 'tool' | 'title' | 'description' | 'state' | 'outputSchema'>,
    Partial<Pick<ToolView, 'inputSchema'>> {
  /** Compares within one answer only. */
  readonly score: number;
  /** How much of the query the tool has, 0 to 1. Compares across answers. */
  readonly coverage: number;
  /** Where the words of the query were found. With a pattern: the first field it was found in, without terms. */
  readonly matched: readonly SearchMatch[];
}

/** Which words of the query a part of the tool has. */
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
/** Far more than any cursor of ours has. */
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
