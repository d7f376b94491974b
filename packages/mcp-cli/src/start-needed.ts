import type { CommonOptions } from './command-options.js';
import type { Control } from './control/control.js';
import { type ControlErrorData, controlErrorFrom } from './control/control-error.js';
import type { ServerOutcome } from './control/reports.js';
import type { Io } from './io.js';
import { printableLine } from './output/printable.js';
import { showLogs } from './output/show-logs.js';
import { trackStarts } from './output/start-tracker.js';

/**
 * Starts servers by name and prints their steps, with `verbose` also their stderr. A failed one does not affect the
 * others.
 *
 * @param servers - Default: every server with `auto_start`.
 */
export async function startServers(
  control: Control,
  servers: readonly string[] | undefined,
  options: Pick<CommonOptions, 'verbose' | 'json'>,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  await using _logs = showLogs(control, options.verbose ? (servers ?? []) : [], io);
  return await startTracked(control, servers, options, io);
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
export function requireOne(outcomes: readonly ServerOutcome[], { json }: Pick<CommonOptions, 'json'>, io: Io): void {
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
