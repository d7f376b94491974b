import type { FetchLike } from '@modelcontextprotocol/client';
import { publicFetch } from './public-addresses.js';

interface AuthFetchOptions {
  readonly fetch: FetchLike;
  readonly serverUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * `fetch` for the requests of a sign-in. The server's own headers go to the server's own origin alone: an authorization
 * server elsewhere has no business with them. Addresses that the server chooses are public, unless it is on a private one.
 */
export function authFetch({ fetch, serverUrl, headers, signal }: AuthFetchOptions): FetchLike {
  const { origin } = new URL(serverUrl);
  const guarded = publicFetch({ fetch, serverUrl });
  return async (url, init = {}) => {
    const all = new Headers(new URL(url).origin === origin ? headers : undefined);
    for (const [name, value] of new Headers(init.headers ?? undefined)) all.set(name, value);
    const signals = init.signal ? [signal, init.signal] : [signal];
    const response = await guarded(url, { ...init, headers: all, signal: AbortSignal.any(signals) });
    return response.ok ? response : withoutDescription(response);
  };
}

/**
 * A refusal with its error code alone. What else is in it may repeat the token that was refused, and the SDK writes it
 * to the console.
 */
async function withoutDescription(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const code = errorCodeIn(await response.text());
  const body = code === undefined ? null : JSON.stringify({ error: code });
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return new Response(body, { status, statusText, headers: kept });
}

function errorCodeIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : undefined;
  } catch {
    return undefined; // no JSON, or null: no code
  }
}
