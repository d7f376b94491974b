import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInCallback } from './auth-source.js';
import { SignInError } from './sign-in-error.js';

export interface LoopbackCallback extends SignInCallback {
  /** Where the browser has to be sent back to. */
  readonly url: string;
}

export interface LoopbackOptions {
  /** `0`: any free one. */
  readonly port: number;
  /** What the browser must bring back. */
  readonly state: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const path = '/callback';

/**
 * Listens on 127.0.0.1, where only this machine can come to, until the browser comes back once with the right `state`,
 * `timeoutMs` have passed or `signal` aborts. Whoever comes with another state learns nothing and changes nothing.
 *
 * @throws The system's error when nobody can listen there, such as `EADDRINUSE`.
 */
export async function openLoopbackCallback({
  port,
  state,
  timeoutMs,
  signal,
}: LoopbackOptions): Promise<LoopbackCallback> {
  signal.throwIfAborted();
  const { promise: received, resolve, reject } = promiseWithEnds<URLSearchParams>();
  received.catch(() => undefined); // whoever opened it may not come to wait for it
  const { createServer } = await import('node:http'); // a heavy module, and only a sign-in needs it
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const query = queryOf(request);
    if (!query) return answer(response, 404, 'There is nothing here.');
    if (!isSame(query.get('state') ?? '', state))
      return answer(response, 400, 'This is not the sign-in that was begun.');
    answer(response, 200, 'You can close this page and go back to the program that asked you to sign in.');
    resolve(query);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const timer = setTimeout(() => reject(new SignInError(`nobody signed in within ${timeoutMs} ms`)), timeoutMs);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort(); // while this began to listen
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    reject(new SignInError('it was given up'));
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

/** Nothing of the request is in the answer, and the address with the code is kept from whatever is opened next. */
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
