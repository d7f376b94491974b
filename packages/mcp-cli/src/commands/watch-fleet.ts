import { setTimeout } from 'node:timers/promises';
import type { Control } from '../control/control.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { type FleetFact, type FleetFacts, fleetChanges, fleetFacts } from '../fleet/fleet-changes.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { Io } from '../io.js';
import { fleetHead, fleetTable, noFleet } from '../output/fleet-table.js';
import { LiveText } from '../output/live-text.js';
import { printJsonLine } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { quitKeys } from '../output/quit-keys.js';
import { stylesFor } from '../output/styles.js';
import { nothingToWatch } from './nothing-to-watch.js';

/** Polling interval, in milliseconds. A node counts as gone after some seconds at the earliest. */
const tickMs = 1_000;
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
  if (!json && io.stdout.isTTY) return await redraw(control, io);
  let known: FleetFacts = new Map();
  for await (const report of reports(control, io.signal)) {
    if (json) printJsonLine({ joined: report?.phase === 'joined', ...(report && { fleet: report }) }, io);
    const now = fleetFacts(report);
    if (!json) tell(fleetChanges(known, now), io);
    known = now;
  }
  return exitCodes.ok;
}

function tell(changes: readonly FleetFact[], { stdout }: Pick<Io, 'stdout'>): void {
  const at = new Date().toISOString();
  for (const { about, text } of changes) {
    stdout.write(`${at} ${printableLine(about, maxAboutLength)}: ${printableLine(text, maxTextLength)}\n`);
  }
}

async function redraw(control: Pick<Control, 'status'>, io: Io): Promise<ExitCode> {
  const { stdout } = io;
  using screen = new LiveText(stdout);
  using keys = quitKeys(io);
  const styles = stylesFor(stdout, io);
  const hint = keys.areRead ? `${styles.dim('press q to quit')}\n` : '';
  try {
    for await (const report of reports(control, keys.signal)) {
      const text = report ? `${fleetHead(report)}${fleetTable(report, styles)}` : noFleet;
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
  let told: string | undefined;
  for (;;) {
    const { fleet } = await control.status({ signal });
    const text = JSON.stringify(fleet ?? null);
    if (text !== told) yield fleet;
    told = text;
    await setTimeout(tickMs, undefined, { signal });
  }
}
