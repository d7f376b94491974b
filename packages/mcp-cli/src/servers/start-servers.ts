import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { type ControlErrorData, controlErrorFrom } from '../control/control-error.js';
import type { LogLine, ServerOutcome, ServerRow, StartStep } from '../control/reports.js';
import { columnsOf, fit, prefixedRows, printNote } from '../output/fit.js';
import { type ReadyServer, readyText, reasonOf, trackStarts } from '../output/live/start-tracker.js';
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
  if (!json) for (const { message } of failures) printNote(`warning: ${printableLine(message, 500)}`, io);
}

function allFailed({ code }: ControlErrorData, failures: readonly ControlErrorData[]): ControlErrorData {
  const details = failures.flatMap(({ message, details: lines, hint }) => [
    message,
    ...[...lines, ...(hint === undefined ? [] : [hint])].map((line) => `  ${line}`),
  ]);
  const retryable = failures.every((failure) => failure.retryable);
  return { code, message: `None of the ${failures.length} servers could be started.`, details, retryable };
}

interface ReportedStart extends Pick<CommonOptions, 'verbose' | 'json'> {
  /** Names of the servers, for the first drawing. */
  readonly servers: readonly string[];
  /** Without a terminal, also prints the steps. Default `false`. */
  readonly hasSteps?: boolean;
  /** Text after the name of a server that is up. */
  readonly done: string;
  readonly run: (onStep: ((step: StartStep) => void) | undefined) => Promise<readonly ServerOutcome[]>;
}

/**
 * Starts servers and prints one line for each that is up. On a terminal the steps of all are shown meanwhile. The caller
 * prints failures, with `printFailures`.
 */
export async function startReported(
  control: Control,
  { servers, done, run, hasSteps = false, verbose, json }: ReportedStart,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  const ready = new Map<string, ReadyServer>();
  const isLive = io.stderr.isTTY === true && !verbose;
  const onReady = (server: ReadyServer): void => {
    const isPrinted = ready.has(server.server);
    ready.set(server.server, server);
    if (!isLive && !isPrinted) printDone(server.server, done, io);
  };
  const start = async (): Promise<readonly ServerOutcome[]> => {
    await using _logs = showLogs(control, verbose ? servers : [], io);
    using tracker = trackStarts(io, { servers, verbose, json, onReady: isLive || !hasSteps ? onReady : undefined });
    return await run(tracker.onStep);
  };
  const outcomes = await start();
  if (json) return outcomes;
  for (const { server, status } of outcomes) {
    const facts = ready.get(server);
    if (status === 'done' && (isLive || facts === undefined)) printDone(server, done, io, facts);
  }
  return outcomes;
}

function printDone(server: string, done: string, io: Io, facts?: ReadyServer): void {
  const { green, bold, dim } = stylesFor(io.stdout, io);
  const text = facts && io.stdout.isTTY ? ` ${dim(readyText(facts))}` : '';
  io.stdout.write(fit(`${green('✓')} ${bold(printableLine(server, 200))} ${done}${text}\n`, io.stdout));
}

/** Prints failures with what to do. Advice that several share is printed once, below the last of them. */
export function printFailures(outcomes: readonly ServerOutcome[], io: Io): void {
  const failures = outcomes
    .flatMap((outcome) => (outcome.status === 'failed' ? [outcome] : []))
    .toSorted(({ error: { hint: a = '' } }, { error: { hint: b = '' } }) => (a < b ? -1 : a > b ? 1 : 0));
  const { red, bold, dim } = stylesFor(io.stderr, io);
  for (const [index, { server, error }] of failures.entries()) {
    const { message, details, hint } = error;
    const next = failures[index + 1]?.error.hint;
    const lines = [
      `${red('✗')} ${bold(printableLine(server, 200))} ${reasonOf({ server, message })}`,
      ...details.map((detail) => dim(`  ${printable(detail)}`)),
      ...(hint === undefined || hint === next ? [] : [printable(hint)]),
    ];
    io.stderr.write(fit(lines.map((line) => `${line}\n`).join(''), io.stderr));
  }
}

/** `done`: text after the name of a success. */
export function printOutcomes(
  outcomes: readonly ServerOutcome[],
  { done, json }: { readonly done: string; readonly json: boolean | undefined },
  io: Io,
): ExitCode {
  if (json) printJson({ servers: outcomes }, io);
  else {
    for (const { server, status } of outcomes) if (status === 'done') printDone(server, done, io);
    printFailures(outcomes, io);
  }
  return exitCodeOf(outcomes);
}

export function exitCodeOf(outcomes: readonly ServerOutcome[]): ExitCode {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error.code] : []));
  if (failures.includes('launch-refused')) return exitCodes.config;
  return failures.length === 0 ? exitCodes.ok : exitCodes.startFailed;
}

/** The line, as `[warning db] text` for a log message. Untrusted. */
export function lineText({ line, level, logger }: LogLine): string {
  return level === undefined ? line : `[${[level, logger].filter(Boolean).join(' ')}] ${line}`;
}

/** Prints stderr lines and log messages of servers until disposed. */
export function showLogs(control: Control, servers: readonly string[], io: Io): AsyncDisposable {
  const ended = new AbortController();
  const signal = AbortSignal.any([io.signal, ended.signal]);
  const { dim } = stylesFor(io.stderr, io);
  const printed = new Map<string, number>();
  const print = (server: string, line: LogLine): void => {
    printed.set(server, (printed.get(server) ?? 0) + (line.missed ?? 0) + 1);
    const name = printableLine(server, Math.min(60, Math.floor((columnsOf(io.stderr) ?? 180) / 3)));
    const rows = prefixedRows(printableLine(lineText(line), 500), { first: `  ${name} | ` }, io.stderr);
    io.stderr.write(rows.map((row) => `${dim(row)}\n`).join(''));
  };
  const follow = async (server: string): Promise<void> => {
    for await (const line of control.logs({ server, follow: true, signal })) {
      if (line.isEarlier !== true) print(server, line);
    }
  };
  // A command may end before the stream of a daemon has brought its last lines.
  const printRest = async (server: string): Promise<void> => {
    const lines: LogLine[] = [];
    for await (const line of control.logs({ server, signal: io.signal })) if (line.isEarlier !== true) lines.push(line);
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
