import type { ToolCaller } from '@x/internal/contracts';
import { checkOption, optionTable, refusePromise, refuseUnknownKeys } from '@x/internal/options';
import type { FleetBus } from './bus.js';
import type { Placement } from './catalog/records.js';
import type { FleetSource } from './source.js';
import { isNodeName } from './token.js';

/** Source with its placement. */
export interface PlacedSource {
  readonly source: FleetSource;
  /** Default: `placement` of the fleet. */
  readonly placement?: Placement | undefined;
}

interface ResolvedSource extends PlacedSource {
  readonly placement: Placement;
}

/** Verified user or service for which another node calls. */
export interface CallPrincipal extends ToolCaller {
  /** Node that received the call from its client. */
  readonly node: string;
}

/** Options of `createFleet`. */
export interface FleetOptions {
  /** Default: a bus in memory for all fleets of this process. */
  readonly bus?: FleetBus | undefined;
  /** Name of this process in the fleet: 1 to 64 of `A-Z a-z 0-9 _ -`, unique among live processes. */
  readonly node: string;
  /** Sources that this node offers. Default: none. */
  readonly sources?: Iterable<FleetSource | PlacedSource> | undefined;
  /** Placement of sources that declare none. Default `pinned`: other nodes see them as `server@node`. */
  readonly placement?: Placement | undefined;
  /**
   * Authorizes calls from other nodes. A denied tool looks like a missing tool. Default: every node may call everything
   * offered.
   */
  readonly authorize?:
    | ((
        principal: CallPrincipal,
        call: { readonly server: string; readonly tool: string },
      ) => boolean | Promise<boolean>)
    | undefined;
  /** Heartbeat interval in milliseconds, 100 to 60 000. A node that misses three counts as gone. Default 5 000. */
  readonly heartbeatMs?: number | undefined;
  /** Longest result of a call in bytes. Default 32 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Concurrent calls from one other node. Default 64. */
  readonly maxCallsPerNode?: number | undefined;
}

const placementCheck = { kind: 'word', words: ['local', 'pinned', 'singleton', 'replicated'] } as const;
const options = optionTable<FleetOptions>()({
  bus: { kind: 'other', check: busFault },
  node: {
    kind: 'other',
    required: true,
    check: (node) =>
      isNodeName(node) ? undefined : `1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(node)}`,
  },
  sources: { kind: 'other', check: iterable, default: [] },
  placement: { ...placementCheck, default: 'pinned' },
  authorize: { kind: 'function' },
  heartbeatMs: { kind: 'number', of: 'milliseconds', min: 100, max: 60_000, default: 5_000 },
  maxResultBytes: { kind: 'number', of: 'bytes', min: 1024, max: 1024 * 1024 * 1024, default: 32 * 1024 * 1024 },
  maxCallsPerNode: { kind: 'number', of: 'calls', min: 1, max: 10_000, default: 64 },
});

export interface FleetPolicy extends Omit<ReturnType<(typeof options)['read']>, 'bus' | 'sources'> {
  readonly sources: readonly ResolvedSource[];
}

/** @throws {TypeError} An option is missing, misspelt or out of bounds; the message names it. */
export function resolveFleetOptions(given: FleetOptions): FleetPolicy {
  const { bus: _, sources, ...policy } = options.read(given);
  const placed = Array.from(sources, (entry) => resolveSource(entry, policy.placement));
  checkNames(placed);
  return { ...policy, sources: placed };
}

/** @throws {TypeError} The value is not a source, or its placement is unknown. */
export function resolveSource(entry: FleetSource | PlacedSource, fallback: Placement): ResolvedSource {
  const { source, placement = fallback } = isSource(entry) ? { source: entry } : Object(entry as PlacedSource);
  refusePromise('A source', entry);
  refusePromise('A source', source);
  if (!isSource(source)) {
    throw new TypeError('sources must be objects with a name, listTools and callTool, or { source, placement }');
  }
  if (entry !== source) refuseUnknownKeys(entry, ['source', 'placement'], { where: 'sources.' });
  checkOption(`placement of ${JSON.stringify(source.name)}`, placementCheck, placement);
  return { source, placement };
}

/** A promise is what `openNatsBus` returns. */
export function busFault(bus: unknown): string | undefined {
  const { onEvent, publish } = Object(bus);
  if (typeof onEvent === 'function' && typeof publish === 'function') return undefined;
  return 'a bus, as from createMemoryBroker().connect() or await openNatsBus(…)';
}

function isSource(entry: unknown): entry is FleetSource {
  const { name, callTool, listTools }: { readonly [Key in keyof FleetSource]?: unknown } = Object(entry);
  return typeof name === 'string' && typeof callTool === 'function' && typeof listTools === 'function';
}

function iterable(sources: unknown): string | undefined {
  const isIterable = typeof Object(sources)[Symbol.iterator] === 'function';
  return isIterable ? undefined : 'a list, or anything else that can be iterated';
}

function checkNames(placed: readonly ResolvedSource[]): void {
  const names = new Set<string>();
  for (const { source } of placed) {
    if (names.has(source.name))
      throw new TypeError(`sources must have unique names, got ${JSON.stringify(source.name)} twice`);
    names.add(source.name);
  }
}
