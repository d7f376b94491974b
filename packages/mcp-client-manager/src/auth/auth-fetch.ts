import type { FetchLike } from '@modelcontextprotocol/client';
import { publicFetch } from './public-addresses.js';

interface AuthFetchOptions {
  readonly fetch: FetchLike;
  readonly serverUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends the server's headers only to the server's own origin. Restricts addresses: see `publicFetch`. */
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

/** Reduces an error response to its code. The SDK logs the rest, which may repeat the refused token. */
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
    return undefined; // not JSON, or null
  }
}
