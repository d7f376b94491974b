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

/** Marks every process that a manager started, so that a leak can be told from a stranger. `<host pid>-<UUID>`. */
export const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';
/** Marks one server's process and all that it starts, so that what leaves its process group can be found. A UUID. */
export const launchVariable = 'MCP_CLIENT_MANAGER_LAUNCH';

/** How many gateways of `mcpx` a process is below. Passed on as it is, so that a gateway does not start itself without end. */
const depthVariable = 'MCPX_DEPTH';

export interface EnvironmentOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** What we add for ourselves; wins over everything. Default nothing. */
  readonly marks?: Readonly<Record<string, string>> | undefined;
}

/**
 * The whole environment of a server's process: an allow-list from the host's, then what the spec declares. Nothing
 * else of the host's environment reaches a server, whatever secrets it holds.
 */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  { inherited, platform, marks = {} }: EnvironmentOptions,
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
  const depth = inherited[depthVariable];
  const passedOn = depth === undefined ? {} : { [depthVariable]: depth };
  for (const [name, value] of Object.entries({ ...declared, ...passedOn, ...marks })) environment.set(name, value);
  return Object.fromEntries(environment);
}

/** On Windows `Path` and `PATH` are one variable; of two spellings in one block the system takes either. */
function upperCaseNames(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]));
}
