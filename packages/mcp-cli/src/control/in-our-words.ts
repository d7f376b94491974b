/** Options of the library as people who run commands and write configs know them. */
const names: Readonly<Record<string, string>> = {
  startupTimeoutMs: 'startup_timeout_seconds',
  firstRunTimeoutMs: 'first_run_timeout_seconds',
  maxConcurrentCalls: 'max_concurrent_calls',
  maxTools: 'max_tools',
  timeoutMs: '--timeout',
};

/** A message of the library, which names its options and what holds the servers, as a command tells it. */
export function inOurWords(message: string): string {
  const ofDaemon = message.replace(/While the client manager is open, the server is/, 'It is');
  return ofDaemon.replace(/"([a-z]+[A-Z]\w*)"/g, (quoted, option: string) => names[option] ?? quoted);
}
