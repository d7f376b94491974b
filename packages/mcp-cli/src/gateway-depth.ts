import { CommandError, exitCodes } from './exit-codes.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How many gateways of `mcpx` a process is below. Client managers pass it on to every server. */
const depthVariable = 'MCPX_DEPTH';

/** The environment of the servers of this process: one level deeper than its own. */
export function deeperEnvironment(env: Environment): Record<string, string | undefined> {
  return { ...env, [depthVariable]: String(depthOf(env) + 1) };
}

/**
 * A gateway or a daemon must not be below another one: it may be that one, again and again. A command that runs once may, since a
 * server may well use `mcpx`; what that command starts may not.
 *
 * @throws {CommandError} This process is too deep.
 */
export function refuseNesting(env: Environment, kind: 'gateway' | 'command'): void {
  const depth = depthOf(env);
  if (depth < (kind === 'gateway' ? 1 : 2)) return;
  const what = kind === 'gateway' ? 'a gateway or daemon' : 'another command that starts servers';
  throw new CommandError(
    exitCodes.config,
    `mcpx was started by a server of mcpx (${depthVariable}=${depth}) and does not start ${what} there: it could start itself without end.`,
    { hint: 'Take the entry that runs mcpx out of the config, and put the servers that it is for in its place.' },
  );
}

/** What cannot be read counts as deep: nobody but mcpx sets it. */
function depthOf(env: Environment): number {
  const text = env[depthVariable];
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : 999;
}
