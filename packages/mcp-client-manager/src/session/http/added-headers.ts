import type { FetchLike } from '@modelcontextprotocol/client';

/** Returns headers for requests to an origin, beside those of the server's spec. */
export type HeadersFor = (origin: string) => Readonly<Record<string, string>>;
export type AddedHeaders = ReadonlySet<HeadersFor>;

/** Only for requests to the server's own origin. */
export function fetchWithHeaders(added: AddedHeaders | undefined, serverUrl: string): FetchLike {
  const { origin } = new URL(serverUrl);
  return (url, init) => {
    if (added === undefined || added.size === 0 || new URL(url).origin !== origin) return fetch(url, init);
    const headers = new Headers(init?.headers);
    for (const headersFor of added) {
      for (const [name, value] of Object.entries(headersFor(origin))) headers.append(name, value);
    }
    return fetch(url, { ...init, headers });
  };
}
