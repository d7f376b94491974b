const posixNames = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

const windowsNames = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** Marks every process that a manager started, so that a leak can be told from a stranger. `<host pid>-<random>`. */
const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';

/**
 * The whole environment of a server's process: an allow-list from the host's, then what the spec declares. Nothing
 * else of the host's environment reaches a server, whatever secrets it holds.
 */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  { inherited, platform, owner }: { inherited: NodeJS.ProcessEnv; platform: NodeJS.Platform; owner: string },
): Record<string, string> {
  const isWindows = platform === 'win32';
  const environment = new Map<string, string>();
  const offered = isWindows ? upperCaseNames(inherited) : inherited;
  const taken = new Set(isWindows ? Object.keys(upperCaseNames(declared)) : []);
  for (const name of isWindows ? windowsNames : posixNames) {
    const value = taken.has(name) ? undefined : offered[name];
    // A value that starts with `()` is a shell function exported by bash: code, not data.
    if (value !== undefined && !value.startsWith('()')) environment.set(name, value);
  }
  for (const [name, value] of Object.entries(declared)) environment.set(name, value);
  environment.set(ownerVariable, owner);
  return Object.fromEntries(environment);
}

/** On Windows `Path` and `PATH` are one variable; of two spellings in one block the system takes either. */
function upperCaseNames(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]));
}
