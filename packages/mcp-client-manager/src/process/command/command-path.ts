import { delimiter } from 'node:path';
import { loginShellPath } from './login-shell-path.js';

/** Where the system looks when there is no PATH at all. */
const systemPath = process.platform === 'win32' ? '' : '/bin:/usr/bin';

export interface CommandPathQuery {
  readonly source: 'inherited' | 'login-shell';
  /** What the server's spec declares. */
  readonly env: Readonly<Record<string, string>>;
  /** What the host offers to be inherited. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * The PATH that a server gets: the one that its spec declares, else that of the login shell followed by what only the
 * host has, else the host's.
 */
export async function commandPath({ source, env, environment }: CommandPathQuery): Promise<string> {
  const declared = pathIn(env);
  if (declared !== undefined) return declared;
  const inherited = pathIn(environment) ?? systemPath;
  if (source === 'inherited' || process.platform === 'win32') return inherited;
  const ofShell = await loginShellPath(environment);
  const entries = [ofShell ?? '', inherited].flatMap((path) => (path === '' ? [] : path.split(delimiter)));
  return [...new Set(entries)].join(delimiter);
}

/** Windows spells it `Path`, and does not care. */
function pathIn(environment: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'win32') return environment.PATH;
  return Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}
