import { parseArgs } from 'node:util';

/** Contains no secret, because every user of the machine can read a command line. */
export interface DaemonArguments {
  readonly id: string;
  readonly cwd: string;
  readonly config: readonly string[] | undefined;
  readonly stateDirectory: string | undefined;
  readonly idleExitMs: number | undefined;
}

export function daemonArguments({ id, cwd, config, stateDirectory, idleExitMs }: DaemonArguments): readonly string[] {
  return [
    ...['--id', id, '--cwd', cwd],
    ...(config ?? []).flatMap((file) => ['--config', file]),
    ...(stateDirectory === undefined ? [] : ['--state', stateDirectory]),
    ...(idleExitMs === undefined ? [] : ['--idle-exit', String(idleExitMs)]),
  ];
}

/** @throws {TypeError} `daemonArguments` did not write `argv`. */
export function readDaemonArguments(argv: readonly string[]): DaemonArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      id: { type: 'string' },
      cwd: { type: 'string' },
      config: { type: 'string', multiple: true },
      state: { type: 'string' },
      'idle-exit': { type: 'string' },
    },
  });
  const { id, cwd, config, state: stateDirectory, 'idle-exit': idleExit } = values;
  const idleExitMs = idleExit === undefined ? undefined : Number(idleExit);
  if (id === undefined || !/^[0-9a-f]{16}$/.test(id)) throw new TypeError('--id must be 16 hexadecimal digits');
  if (cwd === undefined) throw new TypeError('--cwd is missing');
  if (idleExitMs !== undefined && !(idleExitMs > 0)) throw new TypeError('--idle-exit must be milliseconds');
  return { id, cwd, config, stateDirectory, idleExitMs };
}
