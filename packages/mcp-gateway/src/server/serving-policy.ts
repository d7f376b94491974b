import type { OptionRows, Resolved } from '@x/internal/options';
import { guarded } from '../serving/error-listener.js';
import { type SurfaceOptions, surfaceRows } from '../serving/surface.js';
import { type PageOptions, pageRows } from '../serving/tool-pages.js';

/** Introduction of a server, and its lists; the same over every transport. */
export interface ServingOptions extends SurfaceOptions, PageOptions {
  /** The server's name. Default `mcp-registry`. */
  readonly name?: string | undefined;
  /** Version of the serving app. Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Sent to clients at the handshake: how to use these tools. Default: to search before giving up. */
  readonly instructions?: string | undefined;
  /**
   * Time for which clients of the 2026-07-28 revision may cache a list without a change notification, in milliseconds.
   * Default 0, because sources do not say how long theirs are valid; an hour for the surface `search`, which never
   * changes.
   */
  readonly listTtlMs?: number | undefined;
  /** Receives unreadable messages and responses that cannot be sent. Default: none. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export const servingRows = {
  ...surfaceRows,
  ...pageRows,
  name: { kind: 'text', default: 'mcp-registry' },
  version: { kind: 'text', default: '0.0.0' },
  // An empty text means none.
  instructions: { kind: 'other', check: (given: unknown) => (typeof given === 'string' ? undefined : 'a text') },
  listTtlMs: { kind: 'number', of: 'milliseconds', min: 0 },
  onError: { kind: 'function' },
} as const satisfies OptionRows<ServingOptions>;

type Options = Resolved<ServingOptions, typeof servingRows>;

export interface ServingPolicy extends Options {
  readonly instructions: string;
  readonly listTtlMs: number;
}

const INSTRUCTIONS = {
  full: 'These tools come from several servers and may change while you are connected. Call search_mcp_tools to find the tool for a task.',
  search:
    'There are more tools than are listed. Call search_mcp_tools to find the tool for a task, and call_mcp_tool to call it.',
};
const HOUR_MS = 3_600_000;

/** Picks its own options: other ones may be secret. */
export function resolveServing({
  name,
  version,
  surface,
  maxListedTools,
  pageSize,
  ...options
}: Options): ServingPolicy {
  const {
    instructions = INSTRUCTIONS[surface === 'full' ? 'full' : 'search'],
    listTtlMs = surface === 'search' ? HOUR_MS : 0,
    onError,
  } = options;
  const listing = { surface, maxListedTools, pageSize, listTtlMs };
  return { name, version, instructions, ...listing, onError: guarded('onError', onError) };
}
