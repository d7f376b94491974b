/** Directory of server logs for configs that name none: beside the daemon's own log. */
export function daemonServerLogs(daemonLog: string): string {
  return daemonLog.replace(/\.log$/, '');
}
