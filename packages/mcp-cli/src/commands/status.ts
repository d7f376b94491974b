import type { ServerStatus } from '@x/mcp-client-manager';
import type { CommonOptions } from '../command-options.js';
import { openStack } from '../compose.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { type Styles, stylesFor } from '../output/styles.js';
import { table } from '../output/table.js';
import { startServers } from '../start-servers.js';

/** `mcpx status`: starts what may start by itself, asks each server whether it is well, and stops all again. */
export async function status(options: CommonOptions, io: Io): Promise<ExitCode> {
  await using stack = await openStack(options, io);
  const { manager } = stack;
  const wanted = manager.servers().filter((server) => server.status.autoStart);
  const outcomes = await startServers(stack, wanted, options, io);
  await Promise.all(manager.servers().map((server) => server.checkHealth({ signal: io.signal })));

  const rows = manager.status();
  if (options.json) printJson({ servers: rows }, io);
  else io.stdout.write(statusTable(rows, stylesFor(io.stdout, io)));
  return outcomes.every((outcome) => outcome.status === 'started') ? exitCodes.ok : exitCodes.startFailed;
}

export function statusTable(rows: readonly ServerStatus[], styles: Styles): string {
  const head = ['Server', 'State', 'Health', 'Tools', 'Note'];
  return table(
    head,
    rows.map((row) => [
      row.name,
      stateText(row, styles),
      healthText(row, styles),
      row.state === 'stopped' && row.tools === 0 ? '-' : String(row.tools),
      styles.dim(printableLine(row.lastError ?? row.catalogProblems[0] ?? '', 80)),
    ]),
  );
}

function stateText({ state, autoStart }: ServerStatus, { green, yellow, red, dim }: Styles): string {
  switch (state) {
    case 'running':
      return green('● running');
    case 'stopped':
      return dim(autoStart ? '○ stopped' : '○ manual');
    case 'failed':
      return red('✗ failed');
    default:
      return yellow(`◐ ${state}`);
  }
}

function healthText({ health }: ServerStatus, { green, red, dim }: Styles): string {
  if (health === 'unknown') return dim('-');
  return health === 'healthy' ? green('✓') : red('✗');
}
