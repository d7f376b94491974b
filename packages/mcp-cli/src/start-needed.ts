import type { CommonOptions } from './command-options.js';
import type { Control, ServerOutcome } from './control/control.js';
import { controlErrorFrom } from './control/control-error.js';
import type { Io } from './io.js';
import { showLogs } from './output/show-logs.js';
import { stepPrinter } from './output/start-step-line.js';

/**
 * Starts servers by name and shows their steps, with `verbose` also what they write meanwhile. One that fails does not
 * keep the others from starting.
 *
 * @param servers - Left out: every server that may start by itself.
 */
export async function startServers(
  control: Control,
  servers: readonly string[] | undefined,
  { verbose = false, json = false }: Pick<CommonOptions, 'verbose' | 'json'>,
  io: Io,
): Promise<readonly ServerOutcome[]> {
  await using _logs = showLogs(control, verbose ? (servers ?? []) : [], io);
  return await control.start(servers, { signal: io.signal, onStep: json ? undefined : stepPrinter(io) });
}

/** @throws {ControlError} What the first one failed with, when none came up. */
export function requireOne(outcomes: readonly ServerOutcome[]): void {
  const [failed] = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome.error] : []));
  if (failed && outcomes.every(({ status }) => status === 'failed')) throw controlErrorFrom(failed);
}
