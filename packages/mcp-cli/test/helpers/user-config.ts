import { join, posix } from 'node:path';
import { vi } from 'vitest';
import { userDirectory } from '../../src/config/find-project.js';

const userConfigFolder =
  { darwin: 'Library/Preferences/mcpx', win32: '.config/mcpx/Config' }[process.platform as string] ?? '.config/mcpx';

/** The server file of the user whose home is the folder `home`. */
export const userServers = posix.join('home', userConfigFolder, 'mcp_servers.yaml');

/** Makes `home` the home of this process's user, and returns the directory of the user's own config. */
export function stubUserConfig(home: string): string {
  const config = join(home, '.config');
  const variables = { HOME: home, USERPROFILE: home, APPDATA: config, XDG_CONFIG_HOME: config };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return userDirectory(variables, { home }) as string;
}
