import { setTimeout } from 'node:timers/promises';
import { type ExitCode, exitCodes, type Io } from '../../command.js';
import type { Control } from '../../control/control.js';
import { ControlError } from '../../control/control-error.js';
import type { ControlEvent } from '../../control/reports.js';
import { type FleetFact, type FleetFacts, fleetChanges, fleetFacts } from '../../fleet/fleet-changes.js';
import type { FleetReport } from '../../fleet/fleet-report.js';
import { fleetHead, fleetTable, noFleet } from '../fleet-table.js';
import { printableLine, printJsonLine, stylesFor } from '../print.js';
import { serverTable, stateLine } from '../server-table.js';
import { LiveText } from './live-text.js';
import { quitKeys } from './quit-keys.js';

/** Interval between refreshes of uptime and memory, in milliseconds. */
const tickMs = 1_000;

interface WatchOptions {
  readonly isDaemon: boolean;
  readonly servers: readonly string[];
  readonly json?: boolean | undefined;
}

/**
 * Shows the status of servers until interrupted: on a terminal as a table that is redrawn with each change, elsewhere
 * one line per change.
 *
 * @throws {ControlError} `daemon-not-running`: no status could change.
 */
export async function watchStatus(
  control: Control,
  { isDaemon, servers, json }: WatchOptions,
  io: Io,
): Promise<ExitCode> {
  if (!isDaemon) throw nothingToWatch();
  const isShown = (server: string): boolean => servers.length === 0 || servers.includes(server);
  if (!json && io.stdout.isTTY) return await redrawServers(control, isShown, io);
  const print = json ? (event: ControlEvent) => printJsonLine(event, io) : changePrinter(io);
  for await (const event of control.events({ signal: io.signal })) if (isShown(event.server)) print(event);
  return exitCodes.ok;
}

function changePrinter(io: Io): (event: ControlEvent) => void {
  const shown = new Map<string, string>();
  return ({ server, row }) => {
    const state = row ? stateLine(row) : 'no longer in the config';
    if (shown.get(server) === state) return;
    shown.set(server, state);
    io.stdout.write(`${new Date().toISOString()} ${printableLine(server, 60)} ${state}\n`);
  };
}

async function redrawServers(control: Control, isShown: (server: string) => boolean, io: Io): Promise<ExitCode> {
  const { stdout } = io;
  using screen = new LiveText(stdout);
  const styles = stylesFor(stdout, io);
  const ended = new AbortController();
  using keys = quitKeys(io);
  const signal = AbortSignal.any([keys.signal, ended.signal]);
  const hint = keys.areRead ? `${styles.dim('press q to quit')}\n` : '';
  let isDrawing = false;
  let isStale = false;
  // Events come in bursts while a server starts: those during one draw share the next one.
  const draw = async (): Promise<void> => {
    isStale = true;
    if (isDrawing) return;
    isDrawing = true;
    try {
      while (isStale) {
        isStale = false;
        const rows = (await control.status({ signal })).servers.filter(({ name }) => isShown(name));
        screen.show(`${serverTable(rows, { ...styles, command: 'watch', stream: stdout })}${hint}`);
      }
    } catch (error) {
      ended.abort(error);
    } finally {
      isDrawing = false;
    }
  };
  const ticking = setInterval(() => void draw(), tickMs);
  try {
    for await (const _event of control.events({ signal })) void draw();
    return exitCodes.ok;
  } catch (error) {
    if (keys.exitCode === undefined) throw error;
    return keys.exitCode;
  } finally {
    clearInterval(ticking);
    ended.abort(new Error('The watch has ended.'));
  }
}

/** Polling interval, in milliseconds. A node counts as gone after some seconds at the earliest. */
const fleetPollMs = 1_000;
const maxAboutLength = 200;
const maxTextLength = 500;

/**
 * Shows the fleet until interrupted: on a terminal as a table that is redrawn with each change, elsewhere one line or
 * document per change.
 *
 * @throws {ControlError} `daemon-not-running`: no status could change.
 */
export async function watchFleet(
  control: Pick<Control, 'status'> | undefined,
  { json = false }: { readonly json?: boolean | undefined },
  io: Io,
): Promise<ExitCode> {
  if (control === undefined) throw nothingToWatch();
  if (!json && io.stdout.isTTY) return await redrawFleet(control, io);
  let known: FleetFacts = new Map();
  for await (const report of reports(control, io.signal)) {
    if (json) printJsonLine({ joined: report?.phase === 'joined', ...(report && { fleet: report }) }, io);
    const now = fleetFacts(report);
    if (!json) printChanges(fleetChanges(known, now), io);
    known = now;
  }
  return exitCodes.ok;
}

function printChanges(changes: readonly FleetFact[], { stdout }: Pick<Io, 'stdout'>): void {
  const at = new Date().toISOString();
  for (const { about, text } of changes) {
    stdout.write(`${at} ${printableLine(about, maxAboutLength)}: ${printableLine(text, maxTextLength)}\n`);
  }
}

async function redrawFleet(control: Pick<Control, 'status'>, io: Io): Promise<ExitCode> {
  const { stdout } = io;
  using screen = new LiveText(stdout);
  using keys = quitKeys(io);
  const styles = stylesFor(stdout, io);
  const hint = keys.areRead ? `${styles.dim('press q to quit')}\n` : '';
  try {
    for await (const report of reports(control, keys.signal)) {
      const text = report ? `${fleetHead(report)}${fleetTable(report, styles, stdout)}` : noFleet;
      screen.show(`${text}${hint}`);
    }
    return exitCodes.ok;
  } catch (error) {
    if (keys.exitCode === undefined) throw error;
    return keys.exitCode;
  }
}

/** The current report, then each different one. Throws when the signal aborts, and when the daemon has ended. */
async function* reports(
  control: Pick<Control, 'status'>,
  signal: AbortSignal,
): AsyncGenerator<FleetReport | undefined, void, undefined> {
  let lastText: string | undefined;
  for (;;) {
    const { fleet } = await control.status({ signal });
    const text = JSON.stringify(fleet ?? null);
    if (text !== lastText) yield fleet;
    lastText = text;
    await setTimeout(fleetPollMs, undefined, { signal });
  }
}

/** Error of `--watch` without a daemon: no status could change. */
function nothingToWatch(): ControlError {
  return new ControlError('daemon-not-running', 'No daemon is running for this config, so there is nothing to watch.', {
    hint: 'Run "mcpx up" to start it.',
  });
}
