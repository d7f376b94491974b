import type { ToolView } from '../catalog/tool-view.js';
import { RegistryError } from '../errors.js';

export interface SearchRequest {
  /** Words for what is needed, or a tool's name. `*` or nothing lists. At most 1 000 characters. */
  readonly query: string;
  /** Reads `query` as a regular expression in RE2 syntax, at most 256 characters, case-sensitive. Default `false`. */
  readonly useRegex?: boolean | undefined;
  /** Only tools of this server. */
  readonly server?: string | undefined;
  /** Most tools to answer with, 1 to 100. Default 10. */
  readonly limit?: number | undefined;
  /** `names` leaves out title and description, `full` adds `inputSchema`. Default `summary`. */
  readonly detail?: SearchDetail | undefined;
}

export type SearchDetail = (typeof DETAILS)[number];

/** What the registry has for a query at one revision. */
export interface SearchResult {
  readonly mode: 'keyword' | 'regex';
  /** How many tools match, before the limit. */
  readonly total: number;
  /** How many of them are in `tools`. */
  readonly returned: number;
  readonly revision: number;
  /** Best first. */
  readonly tools: readonly SearchHit[];
  /** After a miss: what was tried and which names are near. */
  readonly hint?: string;
}

/** A tool as it stands in the registry, with its score. Scores compare within one result only. */
export interface SearchHit
  extends Pick<ToolView, 'name' | 'server' | 'tool' | 'title' | 'description' | 'state'>,
    Partial<Pick<ToolView, 'inputSchema'>> {
  readonly score: number;
}

export const DETAILS = ['names', 'summary', 'full'] as const;
export const MAX_QUERY_LENGTH = 1_000;
export const MAX_PATTERN_LENGTH = 256;
export const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 10;

export interface SearchPolicy {
  readonly query: string;
  readonly useRegex: boolean;
  readonly server: string | undefined;
  readonly limit: number;
  readonly detail: SearchDetail;
}

/**
 * Fills in the defaults.
 *
 * @throws {TypeError} naming the option that has a wrong type or is out of its bounds.
 * @throws {RegistryError} `invalid-query` if the query or pattern is too long.
 */
export function resolveSearch({
  query,
  useRegex = false,
  server,
  limit = DEFAULT_LIMIT,
  detail = 'summary',
}: SearchRequest): SearchPolicy {
  if (typeof query !== 'string') throw new TypeError(`query must be a text, got ${describe(query)}`);
  if (typeof useRegex !== 'boolean') throw new TypeError(`useRegex must be true or false, got ${describe(useRegex)}`);
  if (server !== undefined && typeof server !== 'string') {
    throw new TypeError(`server must be a text, got ${describe(server)}`);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new TypeError(`limit must be a whole number from 1 to ${MAX_LIMIT}, got ${describe(limit)}`);
  }
  if (!DETAILS.includes(detail))
    throw new TypeError(`detail must be one of ${DETAILS.join(', ')}, got ${describe(detail)}`);

  const longest = useRegex ? MAX_PATTERN_LENGTH : MAX_QUERY_LENGTH;
  if (query.length > longest) {
    const what = useRegex ? 'pattern' : 'query';
    const message = `A search takes a ${what} of at most ${longest} characters, got ${query.length}; say it in fewer words`;
    throw new RegistryError('invalid-query', message);
  }
  return { query, useRegex, server, limit, detail };
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
