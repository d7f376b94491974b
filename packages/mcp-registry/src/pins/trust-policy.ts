import { refuseUnknownKeys } from '@x/internal/options';
import type { ToolDefinition } from '../catalog/tool-view.js';
import type { ServerPins, ToolPin } from './pin-store.js';
import { toolDigest } from './pinned-definition.js';

/**
 * Visibility of a source's tools.
 *
 * - `all`: every listed tool.
 * - `pin-on-first-use`: the whole first listing with tools; new and changed tools wait for approval, as with known
 * hosts of SSH.
 * - `approve`: only approved tools.
 */
export type TrustMode = 'all' | 'pin-on-first-use' | 'approve';

/** Modes by source. */
export interface TrustOptions {
  /** Mode of other servers. Default `all`. */
  readonly default?: TrustMode | undefined;
  /** Modes by name of the source. Default: none. */
  readonly servers?: Readonly<Record<string, TrustMode>> | undefined;
}

export interface TrustPolicy {
  modeOf(server: string): TrustMode;
}

const MODES: readonly unknown[] = ['all', 'pin-on-first-use', 'approve'] satisfies readonly TrustMode[];

/** @throws {TypeError} naming the invalid option. */
export function resolveTrust(trust: TrustMode | TrustOptions = 'all'): TrustPolicy {
  if (typeof trust === 'string') return policyOf(checkMode('trust', trust), new Map());
  if (typeof trust !== 'object' || trust === null || Array.isArray(trust)) throw notMode('trust', trust);
  refuseUnknownKeys(trust, ['default', 'servers'], { where: 'trust.' });
  const { default: otherwise = 'all', servers = {} } = trust;
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
    throw new TypeError(`trust.servers must be an object of modes by server names, got ${JSON.stringify(servers)}`);
  }
  // A map, because server names are foreign text.
  const modes = Object.entries(servers).map(
    ([server, mode]) => [server, checkMode(`trust.servers[${JSON.stringify(server)}]`, mode)] as const,
  );
  return policyOf(checkMode('trust.default', otherwise), new Map(modes));
}

function policyOf(otherwise: TrustMode, servers: ReadonlyMap<string, TrustMode>): TrustPolicy {
  return { modeOf: (server) => servers.get(server) ?? otherwise };
}

function checkMode(option: string, mode: TrustMode): TrustMode {
  if (!MODES.includes(mode)) throw notMode(option, mode);
  return mode;
}

function notMode(option: string, value: unknown): TypeError {
  return new TypeError(`${option} must be "all", "pin-on-first-use" or "approve", got ${JSON.stringify(value)}`);
}

/** `pending`: never approved. `changed`: different from its approved definition. Only operators see either. */
export type ToolTrust = 'trusted' | 'pending' | 'changed';

/** Pins of one server by tool. `undefined` for an unknown server. */
export type KnownTools = ReadonlyMap<string, ToolPin> | undefined;

/** By server. A map, because names are foreign text. */
export type PinTable = ReadonlyMap<string, ReadonlyMap<string, ToolPin>>;

export function judgeTool(mode: TrustMode, known: KnownTools, tool: ToolDefinition): ToolTrust {
  if (mode === 'all') return 'trusted';
  const pin = known?.get(tool.name);
  if (pin === undefined) return 'pending';
  return pin.digest === toolDigest(tool) ? 'trusted' : 'changed';
}

/** True if `pin-on-first-use` accepts the whole listing. An empty listing does not count. */
export function isFirstUse(mode: TrustMode, known: KnownTools, tools: readonly ToolDefinition[]): boolean {
  return mode === 'pin-on-first-use' && known === undefined && tools.length > 0;
}

// A cache: results of `checkPins` are frozen.
const maps = new WeakMap<ServerPins, ReadonlyMap<string, ToolPin>>();

export function toPinTable(pins: readonly ServerPins[], previous: PinTable = new Map()): PinTable {
  return new Map(pins.map((ofServer) => [ofServer.server, toMap(ofServer, previous.get(ofServer.server))] as const));
}

function toMap(ofServer: ServerPins, before: ReadonlyMap<string, ToolPin> | undefined): ReadonlyMap<string, ToolPin> {
  const known = maps.get(ofServer);
  if (known !== undefined) return known;
  const { tools } = ofServer;
  const isSame = before?.size === tools.length && tools.every((pin) => isSamePin(before.get(pin.tool), pin));
  const map = isSame ? before : new Map(tools.map((pin) => [pin.tool, pin]));
  maps.set(ofServer, map);
  return map;
}

function isSamePin(before: ToolPin | undefined, pin: ToolPin): boolean {
  return before?.digest === pin.digest && before.approvedAt === pin.approvedAt && before.approvedBy === pin.approvedBy;
}
