import { delimiter } from 'node:path';
import { loginShellPath } from './login-shell-path.js';

const systemPath = process.platform === 'win32' ? '' : '/bin:/usr/bin';

export interface CommandPathQuery {
  readonly source: 'inherited' | 'login-shell';
  readonly env: Readonly<Record<string, string>>;
  readonly environment: NodeJS.ProcessEnv;
}

/** PATH of a server: its spec's, else the login shell's and then the host's, else the host's. */
export async function commandPath({ source, env, environment }: CommandPathQuery): Promise<string> {
  const declared = pathIn(env);
  if (declared !== undefined) return declared;
  const inherited = pathIn(environment) ?? systemPath;
  if (source === 'inherited' || process.platform === 'win32') return inherited;
  const ofShell = await loginShellPath(environment);
  const entries = [ofShell ?? '', inherited].flatMap((path) => (path === '' ? [] : path.split(delimiter)));
  return [...new Set(entries)].join(delimiter);
}

function pathIn(environment: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'win32') return environment.PATH;
  return Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}
