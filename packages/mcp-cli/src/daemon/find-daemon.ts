import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonControl } from '../control/control.js';
import { ControlError, isControlError } from '../control/control-error.js';
import { printableLine } from '../output/print.js';
import { streamMethod } from './connection/byte-streams.js';
import { openConnection, versionSkew } from './connection/open-connection.js';
import { protocolNumber } from './connection/protocol.js';
import { createRemoteControl } from './connection/remote-control.js';
import { daemonLost } from './connection/rpc-client.js';
import { lockHolder } from './instance-lock.js';
import { type DaemonIo, type DaemonOptions, type DaemonPlace, isPlaceThere, locateDaemon } from './locate-daemon.js';
import { type DaemonState, readState, stateFault } from './state-file.js';
import { isAlive, monotonicMs } from './system-process.js';

/** Time for a worker to restart, in milliseconds. */
const restartMs = 10_000;
const pollMs = 25;

/**
 * Connects to the running daemon of a config. Starts none.
 *
 * @returns `undefined` when there is no daemon.
 * @throws {ControlError} `daemon-parked`, `daemon-unreachable`, `daemon-untrusted`, `version-skew`, `unsafe-directory`.
 */
export async function findDaemon(options: DaemonOptions, io: DaemonIo): Promise<DaemonControl | undefined> {
  const place = placeOfDaemon(options, io);
  return place && connectAt(place, io);
}

/** A user without a usable directory has no daemon. */
function placeOfDaemon(options: DaemonOptions, io: DaemonIo): DaemonPlace | undefined {
  try {
    return locateDaemon(options, io);
  } catch (error) {
    if (isControlError(error) && error.code === 'daemon-start-failed') return undefined;
    throw error;
  }
}

/**
 * Opens the stream of a ticket from the running daemon.
 *
 * @throws {ControlError} as `findDaemon`; `daemon-lost` if the daemon does not know the ticket.
 */
export async function openStream(options: DaemonOptions, ticket: string, io: DaemonIo): Promise<Socket> {
  const state = await runningState(locateDaemon(options, io));
  if (state?.phase.name !== 'ready') throw daemonLost();
  const { socket, token } = state.phase;
  const rpc = await openConnection({ socket, token, signal: io.signal });
  return await rpc.requestSocket(streamMethod, { ticket }, { signal: io.signal });
}

/** Prints what the daemon has to say to its user, once for each `stderr`. */
export async function connectAt(
  place: DaemonPlace,
  { signal, stderr }: Pick<DaemonIo, 'signal' | 'stderr'>,
): Promise<DaemonControl | undefined> {
  const sinceMs = monotonicMs();
  for (;;) {
    const state = await runningState(place);
    if (!state) return undefined;
    const control = await connectTo(state, { signal, stderr, sinceMs, isLastTry: monotonicMs() > sinceMs + restartMs });
    if (control) return control;
    await pause(pollMs, undefined, { signal });
  }
}

/** @throws {ControlError} `unsafe-directory`: a daemon runs, but other users can access its state file. */
async function runningState(place: DaemonPlace): Promise<DaemonState | undefined> {
  if (!(await isPlaceThere(place))) return undefined;
  const { stateFile, directory } = place.paths;
  const state = await readState(stateFile, place.userId);
  if (state) return isAlive(state.parent) ? state : undefined;
  const fault = await stateFault(stateFile, place.userId);
  if (fault === undefined || !(await lockHolder(directory))) return undefined;
  throw new ControlError('unsafe-directory', `The state file ${stateFile} ${fault}, so the daemon cannot be trusted.`, {
    hint: 'Run "mcpx down" and then "mcpx up": the daemon writes a new file with another token.',
  });
}

/** Resolves to `undefined` while the worker is starting. */
async function connectTo(
  { phase, protocol, version, logFile }: DaemonState,
  {
    signal,
    stderr,
    sinceMs,
    isLastTry,
  }: Pick<DaemonIo, 'signal' | 'stderr'> & { readonly sinceMs: number; readonly isLastTry: boolean },
): Promise<DaemonControl | undefined> {
  if (protocol !== protocolNumber) throw versionSkew(version, protocol);
  if (phase.name === 'parked') {
    throw new ControlError('daemon-parked', `The daemon has stopped restarting its worker. ${phase.reason}.`, {
      hint: `Its log is ${logFile}. Run "mcpx down" and then "mcpx up" to try again.`,
    });
  }
  if (phase.name === 'starting') {
    if (!isLastTry) return undefined;
    throw new ControlError('daemon-unreachable', 'The daemon is still starting.', {
      hint: `Its log is ${logFile}.`,
      retryable: true,
    });
  }
  const { socket, token } = phase;
  try {
    const onNotice = (text: string): void => printNotice(text, stderr);
    const connect = (options: { signal?: AbortSignal | undefined }) => openConnection({ socket, token, ...options });
    return createRemoteControl(await openConnection({ socket, token, signal, sinceMs, onNotice }), connect);
  } catch (error) {
    // The address of a crashed worker remains until the parent notices.
    if (isControlError(error) && error.code === 'daemon-unreachable' && !isLastTry) return undefined;
    throw error;
  }
}

const printed = new WeakMap<object, string>();

function printNotice(text: string, stderr: DaemonIo['stderr']): void {
  if (stderr === undefined || printed.get(stderr) === text) return;
  printed.set(stderr, text);
  stderr.write(`warning: ${printableLine(text, 1_000)}\n`);
}
