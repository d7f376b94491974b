import { guarded } from '../serving/error-listener.js';
import { type PageOptions, resolvePageSize } from '../serving/page-size.js';
import { resolveSurface, type SurfaceOptions, type SurfacePolicy } from '../serving/surface.js';

/** What a server says of itself, and how it lists tools; the same over every transport. */
export interface ServingOptions extends SurfaceOptions, PageOptions {
  /** What the server calls itself. Default `mcp-registry`. */
  readonly name?: string | undefined;
  /** Version of the app that serves. Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Told to clients when they connect: how to use these tools. Default: to search before giving up. */
  readonly instructions?: string | undefined;
  /**
   * How long clients of the 2026-07-28 revision may keep a list before they ask again, in milliseconds, unless they are
   * told of a change. Default 0, to ask each time, because sources do not say how long theirs stay good; an hour for the
   * surface `search`, which never changes.
   */
  readonly listTtlMs?: number | undefined;
  /** Told of messages that cannot be read and answers that cannot be sent. Default: nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface ServingPolicy {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly surface: SurfacePolicy;
  readonly pageSize: number;
  readonly listTtlMs: number;
  readonly onError: ((error: Error) => void) | undefined;
}

const INSTRUCTIONS = {
  full: 'These tools come from several servers and may change while you are connected. Call search_mcp_tools to find the tool for a task.',
  search:
    'There are more tools than are listed. Call search_mcp_tools to find the tool for a task, and call_mcp_tool to call it.',
};
const HOUR_MS = 3_600_000;

export function resolveServing({
  name = 'mcp-registry',
  version = '0.0.0',
  instructions,
  listTtlMs,
  onError,
  ...options
}: ServingOptions): ServingPolicy {
  const surface = resolveSurface(options);
  const ttlMs = listTtlMs ?? (surface.surface === 'search' ? HOUR_MS : 0);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new TypeError(`listTtlMs must be a whole number of milliseconds, 0 or more, got ${listTtlMs}`);
  }
  return {
    name,
    version,
    instructions: instructions ?? INSTRUCTIONS[surface.surface === 'full' ? 'full' : 'search'],
    surface,
    pageSize: resolvePageSize(options),
    listTtlMs: ttlMs,
    onError: guarded(onError),
  };
}
