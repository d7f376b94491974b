import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { ControlError } from '../control/control-error.js';
import { findDaemon } from '../daemon/find-daemon.js';
import type { CallView } from '../dashboard/page-messages.js';
import { printableLine, printJson, stylesFor } from '../output/print.js';
import { table } from '../output/table.js';

/** The latest calls through the daemon, newest last. */
export async function calls(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using control = await findDaemon(options, io);
  if (control === undefined) {
    throw new ControlError('daemon-not-running', 'No daemon is running for this config, so no calls are recorded.', {
      hint: 'Run "mcpx up" to start it.',
    });
  }
  const latest = await control.calls({ signal: io.signal });
  if (options.json) printJson({ calls: latest.map(withTime) }, io);
  else io.stdout.write(latest.length === 0 ? 'No tool was called through the daemon yet.\n' : callTable(latest, io));
  return exitCodes.ok;
}

function withTime({ at, record: _record, ...call }: CallView) {
  return { time: new Date(at).toISOString(), ...call };
}

function callTable(latest: readonly CallView[], io: Io): string {
  const { dim } = stylesFor(io.stdout, io);
  const head = ['Time', 'Client', 'Role', 'Tool', 'Outcome', 'Took'].map((name) => dim(name));
  return table(head, latest.map(cellsOf), io.stdout);
}

function cellsOf({ at, client = '-', role = '-', tool, outcome, error, durationMs }: CallView): readonly string[] {
  return [
    new Date(at).toISOString(),
    printableLine(client, 40),
    printableLine(role, 40),
    printableLine(tool, 100),
    printableLine(error === undefined ? outcome : `${outcome} (${error})`, 100),
    durationMs === undefined ? '-' : `${durationMs} ms`,
  ];
}
