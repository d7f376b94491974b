import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withOwner } from './leak-check.js';
import { type TestServerName, testServer } from './test-server.js';

interface ListeningServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/mcp`. */
  readonly url: string;
  readonly pid: number;
  /** Kills the server. */
  close(): Promise<void>;
}

/** Starts a server process and resolves when it prints `listening <url>`. */
async function startListening(name: TestServerName, ...options: readonly string[]): Promise<ListeningServer> {
  const { command, args } = testServer(name, ...options);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: withOwner() });
  const exited = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening (\S+)$/.exec(line)?.[1];
    if (url !== undefined && child.pid !== undefined) {
      return { url, pid: child.pid, close, [Symbol.asyncDispose]: close };
    }
  }
  await close();
  throw new Error(`${name} ended before it listened (exit code ${child.exitCode})`);
}

export type AsksOverHttp = ListeningServer;

/** Resolves when the server listens. */
export function startAsksOverHttp(): Promise<AsksOverHttp> {
  return startListening('asks-over-http');
}

export type ConformanceHttp = ListeningServer;

/**
 * Resolves when the server listens.
 *
 * @param asks - `requests`: its tools ask clients with requests of their own, which only earlier revisions have. Default `rounds`.
 */
export function startConformanceHttp(asks: 'rounds' | 'requests' = 'rounds'): Promise<ConformanceHttp> {
  return startListening('conformance-http', asks);
}

export type HttpEcho = ListeningServer;

/** Resolves when the server listens. */
export function startHttpEcho(): Promise<HttpEcho> {
  return startListening('http-echo');
}

export type ExtensionsHttp = ListeningServer;

/** Resolves when the server listens. */
export function startExtensionsHttp(...options: readonly string[]): Promise<ExtensionsHttp> {
  return startListening('extensions', '--http', ...options);
}

export type ReportsTrace = ListeningServer;

/** Serves `reports-trace` over HTTP. Resolves when the server listens. */
export function startReportsTrace(): Promise<ReportsTrace> {
  return startListening('reports-trace', 'http');
}
