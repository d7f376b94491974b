import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { HostPlace } from '@x/mcp-host-sync';
import { currentPlace } from '@x/mcp-host-sync';
import type { Io } from '../io.js';

export type ScopeChoice = 'user' | 'project';

/** Location of the user's host app files; with `project` also of those in the working directory. */
export function hostPlace({ env, cwd }: Pick<Io, 'env' | 'cwd'>, scope: ScopeChoice): HostPlace {
  const { platform } = currentPlace();
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  const home = named !== undefined && isAbsolute(named) ? named : homedir();
  return { platform, env, home, project: scope === 'project' ? cwd : undefined };
}
