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

/** Marks every process of a manager: `<owner pid>-<UUID>`. */
export const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';
/** Marks all processes of one launch with a UUID, to find those that left the process group. */
export const launchVariable = 'MCP_CLIENT_MANAGER_LAUNCH';

/** Number of `mcpx` gateways above a process. Stops a gateway that starts itself. */
const depthVariable = 'MCPX_DEPTH';

interface EnvironmentOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly marks?: Readonly<Record<string, string>> | undefined;
}

/** The whole environment of a server: an allow-list of inherited variables, then those of the spec. */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  { inherited, platform, marks = {} }: EnvironmentOptions,
): Record<string, string> {
  const isWindows = platform === 'win32';
  const environment = new Map<string, string>();
  const offered = isWindows ? upperCaseNames(inherited) : inherited;
  const declaredNames = new Set(isWindows ? Object.keys(upperCaseNames(declared)) : []);
  for (const name of isWindows ? windowsNames : posixNames) {
    const value = declaredNames.has(name) ? undefined : offered[name];
    // A value that starts with `()` is a shell function exported by bash.
    if (value !== undefined && !value.startsWith('()')) environment.set(name, value);
  }
  const depth = inherited[depthVariable];
  const passedOn = depth === undefined ? {} : { [depthVariable]: depth };
  for (const [name, value] of Object.entries({ ...declared, ...passedOn, ...marks })) environment.set(name, value);
  return Object.fromEntries(environment);
}

/** Converts names to upper case: Windows ignores case. */
function upperCaseNames(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]));
}
