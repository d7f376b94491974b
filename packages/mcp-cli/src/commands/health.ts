import type { CommonOptions } from '../command-options.js';
import type { ServerOutcome, ServerRow } from '../control/reports.js';
import { trustHint } from '../control/trust-hint.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printable } from '../output/printable.js';
import { exitCodeOf } from '../output/server-outcomes.js';
import { serverTable } from '../output/server-table.js';
import { stylesFor } from '../output/styles.js';
import { startServers } from '../start-needed.js';

/** Servers of a daemon stay as they are. Without a daemon, servers are started for the check and stopped afterwards. */
export async function health(
  options: CommonOptions & { readonly servers: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const named = options.servers.length > 0 ? options.servers : undefined;
  const isDaemon = (await control.daemonInfo({ signal })) !== undefined;
  const outcomes = isDaemon ? [] : await startServers(control, named, options, io);
  const { servers } = await control.health({ servers: named, signal });

  if (options.json) printJson({ servers }, io);
  else {
    io.stdout.write(serverTable(servers, { ...stylesFor(io.stdout, io), command: 'health', width: io.stdout.columns }));
    printFailures(outcomes, io);
  }
  const started = exitCodeOf(outcomes);
  if (started !== exitCodes.ok) return started;
  const unhealthy = servers.filter((row) => !isHealthy(row, named));
  if (unhealthy.some(({ waitsForConsent }) => waitsForConsent)) return exitCodes.config;
  return unhealthy.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** A stopped server is unhealthy only if it was named. */
function isHealthy({ name, state, health }: ServerRow, named: readonly string[] | undefined): boolean {
  if (state === 'stopped') return named?.includes(name) !== true;
  return state === 'running' && health === 'healthy';
}

function printFailures(outcomes: readonly ServerOutcome[], io: Io): void {
  const { dim } = stylesFor(io.stderr, io);
  for (const outcome of outcomes) {
    if (outcome.status === 'done') continue;
    io.stderr.write(`${printable(outcome.error.message)}\n`);
    for (const detail of outcome.error.details) io.stderr.write(`${dim(`  ${printable(detail)}`)}\n`);
    if (outcome.error.code === 'launch-refused') io.stderr.write(`${trustHint}\n`);
  }
}
