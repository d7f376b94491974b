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
  /** Restarts on request; the launch is unchanged. */
  readonly replace: readonly ServerPolicy[];
  readonly keep: readonly string[];
}

/** @param isReplaced - True for servers to restart even with an unchanged launch. */
export function reconcile(
  current: readonly ServerPolicy[],
  desired: readonly ServerPolicy[],
  isReplaced: (name: string) => boolean = () => false,
): Reconciliation {
  const currentByName = new Map(current.map((server) => [server.name, server]));
  const desiredNames = new Set(desired.map(({ name }) => name));
  const changes = desired.map((server) => {
    const change = changeOf(server, currentByName.get(server.name));
    const mayStay = change === 'update' || change === 'keep';
    return { server, change: mayStay && isReplaced(server.name) ? 'replace' : change };
  });
  const serversOf = (expected: Change | 'replace'): readonly ServerPolicy[] =>
    changes.flatMap(({ server, change }) => (change === expected ? [server] : []));
  return {
    add: serversOf('add'),
    remove: current.flatMap(({ name }) => (desiredNames.has(name) ? [] : [name])),
    update: serversOf('update'),
    restart: serversOf('restart'),
    replace: serversOf('replace'),
    keep: serversOf('keep').map(({ name }) => name),
  };
}

type Change = 'add' | 'update' | 'restart' | 'keep';

function changeOf(desired: ServerPolicy, current: ServerPolicy | undefined): Change {
  if (!current) return 'add';
  if (processFingerprint(desired) !== processFingerprint(current)) return 'restart';
  return isDeepStrictEqual(withoutLaunch(desired), withoutLaunch(current)) ? 'keep' : 'update';
}

function withoutLaunch({ target, protocol, ...rest }: ServerPolicy): Omit<ServerPolicy, 'target' | 'protocol'> {
  return rest;
}
