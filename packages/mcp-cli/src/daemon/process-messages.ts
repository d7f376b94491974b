import { parseArgs } from 'node:util';
import type { ControlErrorData } from '../control/control-error.js';
import type { MetricsServerOptions } from '../serving/metrics-server.js';

// Messages between parent and worker over their IPC channel.

/** Without `ms`: never. */
export interface IdleExit {
  readonly ms?: number | undefined;
}

export type ToWorker =
  /**
   * The first message. `servers`: those that ran before a crash; `auto`: those with `auto_start`. `trusted`: keys of
   * launches with consent, from an earlier worker.
   */
  | {
      readonly type: 'begin';
      readonly servers: readonly string[] | 'auto';
      readonly trusted?: readonly string[] | undefined;
      /** See `idle-exit`. Default: that of the command line. */
      readonly idleExit?: IdleExit | undefined;
    }
  /** Finish calls in progress, stop every server, exit. */
  | { readonly type: 'drain' }
  /** Exit now. */
  | { readonly type: 'end' }
  | { readonly type: 'reload' };

export type FromWorker =
  /** The config is read and the socket is open; servers may still be starting. */
  | { readonly type: 'ready'; readonly socket: string; readonly token: string }
  /** The worker cannot start until a person changes something. */
  | { readonly type: 'failed'; readonly error: ControlErrorData }
  /** Keys of launches with consent, for the next worker after a crash. */
  | { readonly type: 'trusted'; readonly keys: readonly string[] }
  /** A command has changed it. For the next worker after a crash. */
  | { readonly type: 'idle-exit'; readonly idleExit: IdleExit }
  /** For the next worker after a crash. */
  | { readonly type: 'running'; readonly servers: readonly string[] }
  /** The end that follows is no crash. */
  | { readonly type: 'leaving' };

/** One line of JSON for the process that started the daemon. */
export type StartReport =
  | { readonly status: 'ready' }
  /** Another daemon was first. */
  | { readonly status: 'held' }
  | { readonly status: 'failed'; readonly error: ControlErrorData };

/** Contains no secret, because every user of the machine can read a command line. */
export interface DaemonArguments {
  readonly id: string;
  readonly cwd: string;
  readonly config: readonly string[] | undefined;
  readonly stateDirectory: string | undefined;
  readonly idleExitMs: number | undefined;
  readonly metrics: MetricsServerOptions | undefined;
}

export function daemonArguments(given: DaemonArguments): readonly string[] {
  const { id, cwd, config, stateDirectory, idleExitMs, metrics } = given;
  return [
    ...['--id', id, '--cwd', cwd],
    ...(config ?? []).flatMap((file) => ['--config', file]),
    ...(stateDirectory === undefined ? [] : ['--state', stateDirectory]),
    ...(idleExitMs === undefined ? [] : ['--idle-exit', String(idleExitMs)]),
    ...(metrics ? ['--metrics-port', String(metrics.port), '--metrics-token-file', metrics.tokenFile] : []),
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
      'metrics-port': { type: 'string' },
      'metrics-token-file': { type: 'string' },
    },
  });
  const { id, cwd, config, state: stateDirectory, 'idle-exit': idleExit } = values;
  const idleExitMs = idleExit === undefined ? undefined : Number(idleExit);
  if (id === undefined || !/^[0-9a-f]{16}$/.test(id)) throw new TypeError('--id must be 16 hexadecimal digits');
  if (cwd === undefined) throw new TypeError('--cwd is missing');
  if (idleExitMs !== undefined && !(idleExitMs > 0)) throw new TypeError('--idle-exit must be milliseconds');
  const { 'metrics-port': port, 'metrics-token-file': tokenFile } = values;
  const metrics = tokenFile === undefined ? undefined : { port: Number(port), tokenFile };
  return { id, cwd, config, stateDirectory, idleExitMs, metrics };
}
