import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { type ControlErrorData, controlErrorFrom } from '../control/control-error.js';
import type { LogLine, ServerOutcome, ServerRow } from '../control/reports.js';
import { trackStarts } from '../output/live/start-tracker.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { startsAutomatically } from './server-rows.js';

/**
 * Starts servers and prints their steps, with `verbose` also their stderr. A failed one does not affect the others.
 *
 * @param servers - Default: every server with `auto_start`.
 */
export async function startServers(
  control: Control,
  servers: readonly string[] | undefined,
  options: Pick<CommonOptions, 'verbose' | 'json'>,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  const shown = options.verbose ? (servers ?? (await namesOf(control, startsAutomatically, io))) : [];
  await using _logs = showLogs(control, shown, io);
  return await startTracked(control, servers, options, io);
}

export async function namesOf(
  control: Control,
  isWanted: (row: ServerRow) => boolean,
  { signal }: Pick<Io, 'signal'>,
): Promise<readonly string[]> {
  const { servers } = await control.status({ signal });
  return servers.filter(isWanted).map(({ name }) => name);
}

/** The same without stderr lines. */
export async function startTracked(
  control: Control,
  servers: readonly string[] | undefined,
  options: Pick<CommonOptions, 'verbose' | 'json'>,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  using tracker = trackStarts(io, { ...options, servers });
  return await control.start({ servers, signal: io.signal, onStep: tracker.onStep });
}

/**
 * Prints the failures of some servers if others started.
 *
 * @throws {ControlError} No server started: the only failure, or the code of the first one with all failures in
 *   `details`.
 */
export function requireAnyStarted(
  outcomes: readonly ServerOutcome[],
  { json }: Pick<CommonOptions, 'json'>,
  io: Io,
): void {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error] : []));
  const [first, ...others] = failures;
  if (first && failures.length === outcomes.length)
    throw controlErrorFrom(others.length === 0 ? first : allFailed(first, failures));
  if (!json) for (const { message } of failures) io.stderr.write(`warning: ${printableLine(message, 500)}\n`);
}

function allFailed({ code }: ControlErrorData, failures: readonly ControlErrorData[]): ControlErrorData {
  const details = failures.flatMap(({ message, details: lines, hint }) => [
    message,
    ...[...lines, ...(hint === undefined ? [] : [hint])].map((line) => `  ${line}`),
  ]);
  const retryable = failures.every((failure) => failure.retryable);
  return { code, message: `None of the ${failures.length} servers could be started.`, details, retryable };
}

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

/** Prints stderr lines of servers until disposed. */
export function showLogs(control: Control, servers: readonly string[], io: Io): AsyncDisposable {
  const ended = new AbortController();
  const signal = AbortSignal.any([io.signal, ended.signal]);
  const { dim } = stylesFor(io.stderr, io);
  const printed = new Map<string, number>();
  const print = (server: string, { line, missed = 0 }: LogLine): void => {
    printed.set(server, (printed.get(server) ?? 0) + missed + 1);
    io.stderr.write(`${dim(`  ${printableLine(server, 60)} | ${printableLine(line, 500)}`)}\n`);
  };
  const follow = async (server: string): Promise<void> => {
    for await (const line of control.logs({ server, follow: true, signal })) {
      if (line.at === undefined) print(server, line); // others are of an earlier daemon
    }
  };
  // A command may end before the stream of a daemon has brought its last lines.
  const printRest = async (server: string): Promise<void> => {
    const lines: LogLine[] = [];
    for await (const line of control.logs({ server, signal: io.signal })) if (line.at === undefined) lines.push(line);
    for (const line of lines.slice(printed.get(server) ?? 0)) print(server, line);
  };
  // A failure here fails the command, too, which reports it.
  const following = servers.map((server) => follow(server).catch(() => undefined));
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise(setImmediate);
      ended.abort(new Error('The logs are no longer shown.'));
      await Promise.all(following);
      await Promise.all(servers.map((server) => printRest(server).catch(() => undefined)));
    },
  };
}
