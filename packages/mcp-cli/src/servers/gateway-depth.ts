import { CommandError, exitCodes } from '../command.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Number of `mcpx` gateways above a process. Client managers increment it for every server. */
const depthVariable = 'MCPX_DEPTH';

/** The environment of this process's servers: one level deeper. */
export function deeperEnvironment(env: Environment): Record<string, string | undefined> {
  return { ...env, [depthVariable]: String(depthOf(env) + 1) };
}

/**
 * Prevents endless recursion: a gateway or daemon must not run below another one. A single command may, because a
 * server may use `mcpx`, but servers that this command starts may not.
 *
 * @throws {CommandError} This process is too deep.
 */
export function refuseNesting(env: Environment, kind: 'gateway' | 'command'): void {
  const depth = depthOf(env);
  if (depth < (kind === 'gateway' ? 1 : 2)) return;
  const what = kind === 'gateway' ? 'a gateway or daemon' : 'another command that starts servers';
  throw new CommandError(
    exitCodes.config,
    `mcpx was started by a server of mcpx (${depthVariable}=${depth}) and does not start ${what}, because that could recurse without end.`,
    { hint: 'Replace the entry that runs mcpx in the config by the servers that it serves.' },
  );
}

/** An invalid value counts as deep, because only mcpx sets the variable. */
function depthOf(env: Environment): number {
  const text = env[depthVariable];
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : 999;
}
