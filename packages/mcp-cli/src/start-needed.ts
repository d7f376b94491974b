import type { CommonOptions } from './command-options.js';
import type { Control, ServerOutcome } from './control/control.js';
import { controlErrorFrom } from './control/control-error.js';
import type { Io } from './io.js';
import { printableLine } from './output/printable.js';
import { showLogs } from './output/show-logs.js';
import { trackStarts } from './output/start-tracker.js';

/**
 * Starts servers by name and shows their steps, with `verbose` also what they write meanwhile. One that fails does not
 * keep the others from starting.
 *
 * @param servers - Left out: every server that may start by itself.
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

/** The same, whatever they write. */
export async function startTracked(
  control: Control,
  servers: readonly string[] | undefined,
  options: Pick<CommonOptions, 'verbose' | 'json'>,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  using tracker = trackStarts(io, { ...options, servers });
  return await control.start(servers, { signal: io.signal, onStep: tracker.onStep });
}

/**
 * Tells what some of the servers failed with, where others came up.
 *
 * @throws {ControlError} What the first one failed with, when none came up.
 */
export function requireOne(outcomes: readonly ServerOutcome[], { json }: Pick<CommonOptions, 'json'>, io: Io): void {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error] : []));
  const [first] = failures;
  if (first && failures.length === outcomes.length) throw controlErrorFrom(first);
  if (!json) for (const { message } of failures) io.stderr.write(`warning: ${printableLine(message, 500)}\n`);
}
