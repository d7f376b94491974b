import type { OptionRows, Resolved } from '@x/internal/options';
import { guarded } from '../serving/error-listener.js';
import { type SurfaceOptions, surfaceRows } from '../serving/surface.js';
import { type PageOptions, pageRows } from '../serving/tool-pages.js';

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

export const servingRows = {
  ...surfaceRows,
  ...pageRows,
  name: { kind: 'text', default: 'mcp-registry' },
  version: { kind: 'text', default: '0.0.0' },
  // An app that wants none gives an empty text.
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

/** Takes of the options what concerns it: other ones may be secret. */
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
