/**
 * Variables of nearly every environment whose values are no secret. Hidden in what is printed, they would take most
 * paths with them.
 */
const publicVariables: ReadonlySet<string> = new Set([
  'APPDATA',
  'COMSPEC',
  'HOME',
  'HOMEDRIVE',
  'HOMEPATH',
  'HOSTNAME',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LOCALAPPDATA',
  'LOGNAME',
  'NODE_ENV',
  'OLDPWD',
  'OS',
  'PATH',
  'PATHEXT',
  'PORT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PWD',
  'SHELL',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TERM',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'VIRTUAL_ENV',
  'WINDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
]);

/** Whether the value of a variable may be shown. Every variable that is not known to be harmless may hold a secret. */
export function isPublicVariable(name: string): boolean {
  return publicVariables.has(name.toUpperCase());
}
