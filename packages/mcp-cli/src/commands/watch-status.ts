import type { Control } from '../control/control.js';
import type { ControlEvent } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { LiveText } from '../output/live-text.js';
import { printJsonLine } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { quitKeys } from '../output/quit-keys.js';
import { serverTable, stateLine } from '../output/server-table.js';
import { stylesFor } from '../output/styles.js';
import { nothingToWatch } from './nothing-to-watch.js';

/** Interval between refreshes of uptime and memory, in milliseconds. */
const tickMs = 1_000;

export interface WatchOptions {
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
  if (!json && io.stdout.isTTY) return await redraw(control, isShown, io);
  const print = json ? (event: ControlEvent) => printJsonLine(event, io) : changePrinter(io);
  for await (const event of control.events({ signal: io.signal })) if (isShown(event.server)) print(event);
  return exitCodes.ok;
}

/** Prints a line for each event that changes the printed status. */
function changePrinter(io: Io): (event: ControlEvent) => void {
  const shown = new Map<string, string>();
  return ({ server, row }) => {
    const state = row ? stateLine(row) : 'no longer in the config';
    if (shown.get(server) === state) return;
    shown.set(server, state);
    io.stdout.write(`${new Date().toISOString()} ${printableLine(server, 60)} ${state}\n`);
  };
}

async function redraw(control: Control, isShown: (server: string) => boolean, io: Io): Promise<ExitCode> {
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
        screen.show(`${serverTable(rows, { ...styles, command: 'watch', width: stdout.columns })}${hint}`);
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
