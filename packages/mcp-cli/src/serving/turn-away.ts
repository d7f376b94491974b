import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Responds with a JSON-RPC error to a request that does not reach the gateway. */
export function turnAway(
  response: ServerResponse,
  { status, code, message }: { readonly status: number; readonly code: number; readonly message: string },
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}
