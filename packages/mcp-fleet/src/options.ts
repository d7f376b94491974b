import type { ToolCaller } from '@x/internal/contracts';
import { checkOption, optionTable } from '@x/internal/options';
import type { FleetBus } from './bus.js';
import type { Placement } from './catalog/records.js';
import type { FleetSource } from './source.js';
import { isNodeName } from './token.js';

/** A source, and how the fleet uses it. */
export interface PlacedSource {
  readonly source: FleetSource;
  /** Default: `placement` of the fleet. */
  readonly placement?: Placement | undefined;
}

/** With the fleet's own placement where it says none. */
export interface SourceInPlace extends PlacedSource {
  readonly placement: Placement;
}

/** Who a call of another node is made for, as its principal says. */
export interface CallPrincipal extends ToolCaller {
  /** The node at which the call came in. */
  readonly node: string;
}

/** What this process is in the fleet, and what it offers. */
export interface FleetOptions {
  /** Default: a bus within this process, the same for every fleet that is given none. */
  readonly bus?: FleetBus;
  /** This process's name in the fleet: 1 to 64 of `A-Z a-z 0-9 _ -`. No two processes that are alive may share one. */
  readonly node: string;
  /** What this node offers to the others. Default: nothing. */
  readonly sources?: Iterable<FleetSource | PlacedSource>;
  /** How sources are used that do not say. Default `pinned`: other nodes see them as `server@node`. */
  readonly placement?: Placement;
  /**
   * Decides on this node whether a call of another one may run here. What is not allowed looks like a tool that does not
   * exist. Default: every node of the fleet may call what is offered to it.
   */
  readonly authorize?: (
    principal: CallPrincipal,
    call: { readonly server: string; readonly tool: string },
  ) => boolean | Promise<boolean>;
  /** Time between two signs of life in milliseconds, 100 to 60 000. After three without any, a node counts as gone. Default 5 000. */
  readonly heartbeatMs?: number;
  /** Longest result of a call in bytes. Default 32 MiB. */
  readonly maxResultBytes?: number;
  /** Calls of one other node that may run here at a time. Default 64. */
  readonly maxCallsPerNode?: number;
}

const placementCheck = { kind: 'word', words: ['local', 'pinned', 'singleton', 'replicated'] } as const;
const options = optionTable<FleetOptions>()({
  bus: { kind: 'object' },
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
  readonly sources: readonly SourceInPlace[];
}

/** @throws {TypeError} Names the option that is missing, misspelt or out of its bounds. */
export function resolveFleetOptions(given: FleetOptions): FleetPolicy {
  const { bus: _, sources, ...policy } = options.read(given);
  const placed = Array.from(sources, (entry) => resolveSource(entry, policy.placement));
  checkNames(placed);
  return { ...policy, sources: placed };
}

/** @throws {TypeError} It is no source, or its placement is none. */
export function resolveSource(entry: FleetSource | PlacedSource, fallback: Placement): SourceInPlace {
  const { source, placement = fallback } = isSource(entry) ? { source: entry } : Object(entry as PlacedSource);
  if (!isSource(source)) {
    throw new TypeError('sources must be objects with a name, listTools and callTool, or { source, placement }');
  }
  checkOption(`placement of ${JSON.stringify(source.name)}`, placementCheck, placement);
  return { source, placement };
}

function isSource(entry: unknown): entry is FleetSource {
  const { name, callTool, listTools }: { readonly [Key in keyof FleetSource]?: unknown } = Object(entry);
  return typeof name === 'string' && typeof callTool === 'function' && typeof listTools === 'function';
}

function iterable(sources: unknown): string | undefined {
  const isIterable = typeof Object(sources)[Symbol.iterator] === 'function';
  return isIterable ? undefined : 'a list, or anything else that can be iterated';
}

function checkNames(placed: readonly SourceInPlace[]): void {
  const names = new Set<string>();
  for (const { source } of placed) {
    if (names.has(source.name)) throw new TypeError(`sources: two of them are named ${JSON.stringify(source.name)}`);
    names.add(source.name);
  }
}
