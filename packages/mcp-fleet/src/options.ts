import type { ToolCaller } from '@x/internal/contracts';
import type { FleetBus } from './bus.js';
import type { Placement } from './catalogue/records.js';
import type { FleetSource } from './source.js';
import { isHostName } from './token.js';

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

/** Who a call of another host is made for, as its principal says. */
export interface CallPrincipal extends ToolCaller {
  /** The host at which the call came in. */
  readonly host: string;
}

/** What this process is in the fleet, and what it offers. */
export interface FleetOptions {
  /** Default: a bus within this process, the same for every fleet that is given none. */
  readonly bus?: FleetBus;
  /** This process's name in the fleet: 1 to 64 of `A-Z a-z 0-9 _ -`. No two processes that are alive may share one. */
  readonly host: string;
  /** What this host offers to the others. Default: nothing. */
  readonly sources?: Iterable<FleetSource | PlacedSource>;
  /** How sources are used that do not say. Default `pinned`: other hosts see them as `server@host`. */
  readonly placement?: Placement;
  /**
   * Decides on this host whether a call of another one may run here. What is not allowed looks like a tool that does not
   * exist. Default: every host of the fleet may call what is offered to it.
   */
  readonly authorize?: (
    principal: CallPrincipal,
    call: { readonly server: string; readonly tool: string },
  ) => boolean | Promise<boolean>;
  /** Time between two signs of life in milliseconds, 100 to 60 000. After three without any, a host counts as gone. Default 5 000. */
  readonly heartbeatMs?: number;
  /** Longest result of a call in bytes. Default 32 MiB. */
  readonly maxResultBytes?: number;
  /** Calls of one other host that may run here at a time. Default 64. */
  readonly maxCallsPerHost?: number;
}

export interface FleetPolicy extends Required<Omit<FleetOptions, 'bus' | 'sources' | 'authorize'>> {
  readonly authorize: FleetOptions['authorize'];
  readonly sources: readonly SourceInPlace[];
}

const PLACEMENTS: ReadonlySet<unknown> = new Set<Placement>(['local', 'pinned', 'singleton', 'replicated']);

/** @throws {TypeError} naming the option that is out of its bounds. */
export function resolveFleetOptions({
  host,
  sources = [],
  placement = 'pinned',
  authorize,
  heartbeatMs = 5_000,
  maxResultBytes = 32 * 1024 * 1024,
  maxCallsPerHost = 64,
}: FleetOptions): FleetPolicy {
  if (!isHostName(host)) {
    throw new TypeError(`host must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(host)}`);
  }
  checkPlacement(placement, 'placement');
  checkNumber(heartbeatMs, 'heartbeatMs', 100, 60_000, 'milliseconds');
  checkNumber(maxResultBytes, 'maxResultBytes', 1024, 1024 * 1024 * 1024, 'bytes');
  checkNumber(maxCallsPerHost, 'maxCallsPerHost', 1, 10_000, 'calls');
  if (authorize !== undefined && typeof authorize !== 'function') throw new TypeError('authorize must be a function');
  const placed = Array.from(iterable(sources), (entry) => resolveSource(entry, placement));
  checkNames(placed);
  return { host, sources: placed, placement, authorize, heartbeatMs, maxResultBytes, maxCallsPerHost };
}

/** @throws {TypeError} It is no source, or its placement is none. */
export function resolveSource(entry: FleetSource | PlacedSource, fallback: Placement): SourceInPlace {
  const { source, placement = fallback } = isSource(entry) ? { source: entry } : Object(entry as PlacedSource);
  if (!isSource(source)) {
    throw new TypeError('sources must be objects with a name, listTools and callTool, or { source, placement }');
  }
  checkPlacement(placement, `placement of ${JSON.stringify(source.name)}`);
  return { source, placement };
}

function isSource(entry: unknown): entry is FleetSource {
  const { name, callTool, listTools }: { readonly [Key in keyof FleetSource]?: unknown } = Object(entry);
  return typeof name === 'string' && typeof callTool === 'function' && typeof listTools === 'function';
}

function iterable<Entry>(sources: Iterable<Entry>): Iterable<Entry> {
  if (typeof Object(sources)[Symbol.iterator] === 'function') return sources;
  throw new TypeError('sources must be a list, or anything else that can be iterated');
}

function checkNames(placed: readonly SourceInPlace[]): void {
  const names = new Set<string>();
  for (const { source } of placed) {
    if (names.has(source.name)) throw new TypeError(`sources: two of them are named ${JSON.stringify(source.name)}`);
    names.add(source.name);
  }
}

function checkPlacement(placement: unknown, option: string): void {
  if (PLACEMENTS.has(placement)) return;
  throw new TypeError(
    `${option} must be one of ${Array.from(PLACEMENTS).join(', ')}, got ${JSON.stringify(placement)}`,
  );
}

function checkNumber(value: number, option: string, min: number, max: number, unit: string): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${option} must be a whole number of ${unit} from ${min} to ${max}, got ${value}`);
}
