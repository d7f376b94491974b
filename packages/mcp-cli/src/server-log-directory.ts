/** Directory in which a daemon keeps the logs of servers whose config names none: beside its own log. */
export function daemonServerLogs(daemonLog: string): string {
  return daemonLog.replace(/\.log$/, '');
}
