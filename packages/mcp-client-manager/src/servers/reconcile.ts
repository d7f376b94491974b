import { isDeepStrictEqual } from 'node:util';
import { processFingerprint } from '../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../resolve-spec.js';

/** Changes from one configuration to another, by server. Each server occurs once. */
export interface Reconciliation {
  readonly add: readonly ServerPolicy[];
  readonly remove: readonly string[];
  /** Changes that need no new process: limits, times, tool rules. */
  readonly update: readonly ServerPolicy[];
  /** Servers whose launch changed. */
  readonly restart: readonly ServerPolicy[];
  readonly keep: readonly string[];
}

/** Compares two configurations by server name. Names are unique within each. */
export function reconcile(current: readonly ServerPolicy[], wanted: readonly ServerPolicy[]): Reconciliation {
  const currentByName = new Map(current.map((server) => [server.name, server]));
  const wantedNames = new Set(wanted.map(({ name }) => name));
  const ways = wanted.map((server) => ({ server, way: wayTo(server, currentByName.get(server.name)) }));
  const serversOf = (expected: Way): readonly ServerPolicy[] =>
    ways.flatMap(({ server, way }) => (way === expected ? [server] : []));
  return {
    add: serversOf('add'),
    remove: current.flatMap(({ name }) => (wantedNames.has(name) ? [] : [name])),
    update: serversOf('update'),
    restart: serversOf('restart'),
    keep: serversOf('keep').map(({ name }) => name),
  };
}

type Way = 'add' | 'update' | 'restart' | 'keep';

function wayTo(wanted: ServerPolicy, current: ServerPolicy | undefined): Way {
  if (!current) return 'add';
  if (processFingerprint(wanted) !== processFingerprint(current)) return 'restart';
  return isDeepStrictEqual(withoutLaunch(wanted), withoutLaunch(current)) ? 'keep' : 'update';
}

function withoutLaunch({ target, protocol, ...rest }: ServerPolicy): Omit<ServerPolicy, 'target' | 'protocol'> {
  return rest;
}
