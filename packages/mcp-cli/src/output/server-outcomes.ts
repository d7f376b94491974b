import type { ServerOutcome } from '../control/reports.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from './print-json.js';
import { printable, printableLine } from './printable.js';
import { stylesFor } from './styles.js';

/** `done`: text after the name of a success. */
export function printOutcomes(
  outcomes: readonly ServerOutcome[],
  { done, json }: { readonly done: string; readonly json: boolean | undefined },
  io: Io,
): ExitCode {
  if (json) printJson({ servers: outcomes }, io);
  else for (const outcome of outcomes) printOutcome(outcome, done, io);
  return exitCodeOf(outcomes);
}

export function exitCodeOf(outcomes: readonly ServerOutcome[]): ExitCode {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error.code] : []));
  if (failures.includes('launch-refused')) return exitCodes.config;
  return failures.length === 0 ? exitCodes.ok : exitCodes.startFailed;
}

function printOutcome(outcome: ServerOutcome, done: string, io: Io): void {
  if (outcome.status === 'done') {
    const { green, bold } = stylesFor(io.stdout, io);
    io.stdout.write(`${green('✓')} ${bold(printableLine(outcome.server, 200))} ${done}\n`);
    return;
  }
  const { red, bold, dim } = stylesFor(io.stderr, io);
  io.stderr.write(`${red('✗')} ${bold(printableLine(outcome.server, 200))} ${printable(outcome.error.message)}\n`);
  for (const detail of outcome.error.details) io.stderr.write(`${dim(`  ${printable(detail)}`)}\n`);
  if (outcome.error.hint !== undefined) io.stderr.write(`${printable(outcome.error.hint)}\n`);
}
