import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const generations = ['1.x', '2.x of 2025', '2.x of 2026-07-28'] as const;
export type Generation = (typeof generations)[number];

export function versionNegotiation(generation: Generation) {
  return { mode: generation === '2.x of 2025' ? ('legacy' as const) : { pin: '2026-07-28' } };
}

/** An official client that sends this token. */
export async function connectHttp(
  url: string,
  { token, generation = '2.x of 2025' }: { token?: string; generation?: Generation } = {},
) {
  const info = { name: 'official', version: '1.0.0' };
  const requestInit = { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } };
  if (generation === '1.x') {
    const client = new ClientV1(info);
    // Its own type of the transport does not fit exactOptionalPropertyTypes.
    await client.connect(new TransportV1(new URL(url), { requestInit }) as never);
    return { client: client as unknown as Client, [Symbol.asyncDispose]: () => client.close() };
  }
  const client = new Client(info, { versionNegotiation: versionNegotiation(generation) });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** One request as any program may send it. */
export function post(url: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...usual, ...headers }, body: opening, ...(signal && { signal }) });
}

/**
 * The status of the answer to the same request, for which `fetch` does not allow a `Host` or whom to trust.
 *
 * @param ca - Certificate that the server has to have, if it is none that the machine trusts anyhow.
 */
export async function statusOf(url: string, headers: Record<string, string>, ca?: string): Promise<number> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const sent = request(url, { method: 'POST', headers: { ...usual, ...headers }, agent: false, ca }).end(opening);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'close');
  return response.statusCode;
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const opening = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'any', version: '1.0.0' } },
});
