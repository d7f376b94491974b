import type { Telemetry } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { composeInstructions } from '@x/internal/instructions';
import type { OptionRows, Resolved } from '@x/internal/options';
import { telemetryFault } from '@x/internal/telemetry-option';
import { instructionsIn } from '@x/internal/views';
import type { RegistryView } from '../registry.js';
import { checkSurface, type SurfaceOptions, surfaceRows } from './surface.js';
import { type PageOptions, pageRows } from './tool-listing.js';

/** Options of the served content, for every transport. */
export interface ServingOptions extends SurfaceOptions, PageOptions {
  /** Name of the server. Default `mcp-registry`. */
  readonly name?: string | undefined;
  /** Version of the server. Default `0.0.0`. */
  readonly version?: string | undefined;
  /**
   * Instructions for clients, sent at the handshake. Those of servers follow. Default: to search for tools, and to run
   * programs where they are offered.
   */
  readonly instructions?: string | undefined;
  /**
   * How long clients of revision 2026-07-28 may cache a list, in milliseconds. Default 0, and an hour with `surface:
   * 'search'` without `instructionsInSearch`, whose list never changes.
   */
  readonly listTtlMs?: number | undefined;
  /** Receives unreadable messages and responses that could not be sent. Default: none. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Spans and metrics of clients' requests: `createTelemetry()` of `@x/mcp-gateway/telemetry`. Default: none. */
  readonly telemetry?: Telemetry | undefined;
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
  telemetry: { kind: 'other', check: telemetryFault },
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
  code: ' execute_mcp_code runs a program that makes several calls in one request.',
};
const HOUR_MS = 3_600_000;

/** Picks its own options, since others may be secret. */
export function resolveServing({
  name,
  version,
  surface,
  maxListedTools,
  pageSize,
  maxInstructionCharacters,
  instructionsInSearch,
  code,
  ...options
}: Options): ServingPolicy {
  checkSurface({ surface, code });
  const {
    instructions = INSTRUCTIONS[surface === 'full' ? 'full' : 'search'] + (code === undefined ? '' : INSTRUCTIONS.code),
    listTtlMs = surface === 'search' && !instructionsInSearch ? HOUR_MS : 0,
    onError,
    telemetry,
  } = options;
  const listing = {
    surface,
    maxListedTools,
    pageSize,
    maxInstructionCharacters,
    instructionsInSearch,
    code,
    listTtlMs,
  };
  return { name, version, instructions, ...listing, onError: guarded('onError', onError), telemetry };
}

/** With the instructions of servers, which are read when a client asks. */
export function introducing(policy: ServingPolicy, view: RegistryView): ServingPolicy {
  const { instructions, maxInstructionCharacters } = policy;
  return {
    ...policy,
    get instructions() {
      const ofServers = composeInstructions(instructionsIn(view), maxInstructionCharacters);
      return [instructions, ofServers].filter((text) => text !== '').join('\n\n');
    },
  };
}

type Listener<Told> = ((told: Told) => void) | undefined;

/** Wraps a listener so that its own errors do not reach its callers. */
export function guarded<Told>(name: string, listener: Listener<Told>): Listener<Told> {
  return listener && ((told) => callListener(name, () => listener(told)));
}
