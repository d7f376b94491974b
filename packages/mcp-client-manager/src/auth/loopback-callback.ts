import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInCallback } from './auth-source.js';
import { SignInError } from './sign-in-error.js';

export interface LoopbackCallback extends SignInCallback {
  readonly url: string;
}

interface LoopbackOptions {
  /** `0`: any free port. */
  readonly port: number;
  readonly state: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const path = '/callback';

/**
 * Listens on 127.0.0.1 until a request has the right `state`, `timeoutMs` have passed or `signal` aborts. Other
 * requests change nothing, and their responses reveal nothing.
 *
 * @throws The system's error if the port is not available, such as `EADDRINUSE`.
 */
export async function openLoopbackCallback({
  port,
  state,
  timeoutMs,
  signal,
}: LoopbackOptions): Promise<LoopbackCallback> {
  signal.throwIfAborted();
  const { promise: received, resolve, reject } = promiseWithEnds<URLSearchParams>();
  received.catch(() => undefined); // the caller may not await it
  const { createServer } = await import('node:http'); // a heavy module, which only sign-ins need
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const query = queryOf(request);
    if (!query) return answer(response, 404, 'Not found.');
    if (!isSame(query.get('state') ?? '', state))
      return answer(response, 400, 'The state parameter does not match this sign-in.');
    answer(response, 200, 'You can close this page and return to the program.');
    resolve(query);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const timer = setTimeout(() => reject(new SignInError(`the user did not sign in within ${timeoutMs} ms`)), timeoutMs);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort(); // it aborted before the listener existed
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    reject(new SignInError('the sign-in was cancelled'));
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    received,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function queryOf({ method, url = '' }: IncomingMessage): URLSearchParams | undefined {
  if (method !== 'GET' || !URL.canParse(url, 'http://127.0.0.1')) return undefined;
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  return pathname === path ? searchParams : undefined;
}

function isSame(text: string, expected: string): boolean {
  const [one, other] = [Buffer.from(text), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The headers keep the URL, with its code, out of caches and later pages. */
function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

function promiseWithEnds<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
