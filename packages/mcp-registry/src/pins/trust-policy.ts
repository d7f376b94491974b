import { requireKeys } from '../require-keys.js';

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
  requireKeys('trust', trust, ['default', 'servers']);
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
