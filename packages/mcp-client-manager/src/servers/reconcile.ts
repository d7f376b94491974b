import { isDeepStrictEqual } from 'node:util';
import { processFingerprint } from '../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../resolve-spec.js';

/** What has to be done to get from one configuration to another. Each server is named once, in the order of its side. */
export interface Reconciliation {
  readonly add: readonly ServerPolicy[];
  /** Servers that the wanted configuration does not have. */
  readonly remove: readonly string[];
  /** Changed in what needs no other process: limits, times, tool rules. */
  readonly update: readonly ServerPolicy[];
  /** To be run in another way than before. */
  readonly restart: readonly ServerPolicy[];
  readonly keep: readonly string[];
}

/** Decides what a new configuration changes. Names tell the servers apart; no name is twice on one side. */
export function reconcile(current: readonly ServerPolicy[], wanted: readonly ServerPolicy[]): Reconciliation {
  const currentByName = new Map(current.map((server) => [server.name, server]));
  const wantedNames = new Set(wanted.map(({ name }) => name));
  const ways = wanted.map((server) => ({ server, way: wayTo(server, currentByName.get(server.name)) }));
  const those = (wantedWay: Way): readonly ServerPolicy[] =>
    ways.flatMap(({ server, way }) => (way === wantedWay ? [server] : []));
  return {
    add: those('add'),
    remove: current.flatMap(({ name }) => (wantedNames.has(name) ? [] : [name])),
    update: those('update'),
    restart: those('restart'),
    keep: those('keep').map(({ name }) => name),
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
