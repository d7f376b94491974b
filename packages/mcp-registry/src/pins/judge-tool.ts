import type { ToolDefinition } from '../catalog/tool-view.js';
import type { ServerPins, ToolPin } from './pin-store.js';
import { toolDigest } from './pinned-definition.js';
import type { TrustMode } from './trust-policy.js';

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

// Results of `checkPins` are frozen.
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
