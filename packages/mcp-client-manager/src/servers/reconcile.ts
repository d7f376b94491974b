import { isDeepStrictEqual } from 'node:util';
import { processFingerprint } from '../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../resolve-spec.js';

/** Each server occurs once. */
export interface Reconciliation {
  readonly add: readonly ServerPolicy[];
  readonly remove: readonly string[];
  /** Changes of limits, times, tool rules: no new process is needed. */
  readonly update: readonly ServerPolicy[];
  readonly restart: readonly ServerPolicy[];
  readonly keep: readonly string[];
}

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
