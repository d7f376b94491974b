import { optionTable } from '@x/internal/options';
import type { ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';

/** A search. */
export interface SearchRequest {
  /**
   * Words for a purpose, or a tool's name in any case: public name, `server/tool`, `server.tool` or `tool`. `*` or an
   * empty text lists all tools. At most 1 000 characters, of which the first 64 distinct words count.
   */
  readonly query: string;
  /** Reads `query` as a case-sensitive RE2 expression of at most 256 characters. Default `false`. */
  readonly useRegex?: boolean | undefined;
  /** Only tools of this server. Default: all servers. */
  readonly server?: string | undefined;
  /** Maximum number of returned tools, 1 to 100. Default 10. */
  readonly limit?: number | undefined;
  /**
   * `nextCursor` of an earlier result for the same query and options; `limit` and `detail` may differ. Default: the
   * first page.
   */
  readonly cursor?: string | undefined;
  /** `names` omits title and description; `full` adds schemas, annotations and keywords. Default `summary`. */
  readonly detail?: SearchDetail | undefined;
  /**
   * `ready`: only tools of `running` or `degraded` sources. `all`: all that can be called. `known`: also those of sources
   * that must be repaired or started first. Default `all`.
   */
  readonly include?: SearchScope | undefined;
}

/** Detail of returned tools. */
export type SearchDetail = (typeof DETAILS)[number];
/** Tools that a search covers. */
export type SearchScope = (typeof SCOPES)[number];

/** Options of a search. */
export interface SearchOptions {
  /** Ends the search; the promise rejects with its reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Kind of search: by words, by name (then by words), by pattern, or a list. */
export type SearchMode = (typeof MODES)[number];

/** The result of a search at one revision. */
export interface SearchResult {
  readonly mode: SearchMode;
  /** Number of matching tools; with `timedOut`, among the scanned ones. */
  readonly total: number;
  readonly returned: number;
  readonly truncated: boolean;
  /** Cursor of the next page. Absent at the end and with `timedOut`. */
  readonly nextCursor?: string;
  readonly revision: number;
  /** Best first; a list is sorted by name. */
  readonly tools: readonly SearchHit[];
  /** Words of the query that no tool has. */
  readonly unmatchedTerms: readonly string[];
  /** The best match is probably not the intended tool. */
  readonly weak?: true;
  /** Advice after a miss, a weak match or a timeout. */
  readonly hint?: string;
  /** Needs of a query that is a whole task, at least 2. Absent for a single need, and with rankers. */
  readonly needs?: readonly SearchNeed[];
  /** After a miss: similar public names, best first. */
  readonly suggestions?: readonly string[];
  readonly scanned?: number;
  /** The pattern exceeded its 250 milliseconds; the result covers only the `scanned` tools. */
  readonly timedOut?: true;
}

/** A part of a task. */
export interface SearchNeed {
  /** The beginning of its words in the query, at most 41 characters. */
  readonly text: string;
  /** Probably no tool fits it. */
  readonly weak?: true;
}

/** A tool, with the reasons for its match. */
export interface SearchHit
  extends Pick<ToolView, 'name' | 'server' | 'tool' | 'title' | 'description' | 'state' | 'outputSchema'>,
    Partial<Pick<ToolView, 'inputSchema' | 'annotations' | 'keywords'>> {
  /** Comparable within one result only. */
  readonly score: number;
  /** Matched share of the query, 0 to 1. Comparable across results. */
  readonly coverage: number;
  /** Matches by field. With a pattern: the first matching field, without terms. */
  readonly matched: readonly SearchMatch[];
  /** The needs of the result that it serves, from 1: it is among the three best for them. */
  readonly needs?: readonly number[];
}

/** Matched words in one field. */
export interface SearchMatch {
  /** `name`, `server`, `title`, `keywords`, `description`, `parameters` or `parameterDescriptions`. */
  readonly field: string;
  readonly terms: readonly string[];
}

export const MODES = ['keyword', 'regex', 'list', 'name'] as const;
export const DETAILS = ['names', 'summary', 'full'] as const;
/** Details of the tool's answers. */
export const TOOL_DETAILS = [...DETAILS, 'evidence'] as const;
export const SCOPES = ['ready', 'all', 'known'] as const;
export const MAX_QUERY_LENGTH = 1_000;
export const MAX_PATTERN_LENGTH = 256;
export const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;
/** Default of the tool, whose answers cost tokens. */
export const TOOL_LIMIT = 5;
/** Longer than any valid cursor. */
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
 * @throws {TypeError} naming the invalid option.
 * @throws {RegistryError} `invalid-query`: too long.
 */
export function resolveSearch(request: SearchRequest): SearchPolicy {
  if (typeof request === 'string') {
    throw new TypeError(`A search must be an object: search({ query: ${JSON.stringify(request)} })`);
  }
  const policy = searchRequest.read(request);
  const { query, useRegex } = policy;
  const longest = useRegex ? MAX_PATTERN_LENGTH : MAX_QUERY_LENGTH;
  if (query.length > longest) {
    const what = useRegex ? 'pattern' : 'query';
    const message = `A search takes a ${what} of at most ${longest} characters, got ${query.length}; shorten it`;
    throw new RegistryError('invalid-query', message);
  }
  return { ...policy, query: useRegex ? query : query.trim() };
}
