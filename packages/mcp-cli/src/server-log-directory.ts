import type { Config } from '@x/mcp-config-schema';

/** Where what servers write to stderr is kept: where the config says, or else `otherwise`. */
export function serverLogDirectory(
  { settings: { logDirectory, logDirectorySource } }: Pick<Config, 'settings'>,
  otherwise: string | undefined,
): string | undefined {
  return logDirectorySource ? logDirectory : otherwise;
}

/** Where a daemon keeps it: beside its own log. */
export function daemonServerLogs(daemonLog: string): string {
  return daemonLog.replace(/\.log$/, '');
}
