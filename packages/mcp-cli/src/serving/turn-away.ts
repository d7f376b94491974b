import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Answers a request that never comes to the gateway, as clients of the protocol can read it. */
export function turnAway(
  response: ServerResponse,
  { status, code, message }: { readonly status: number; readonly code: number; readonly message: string },
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}
