/** An answer to a request that never came to be one of the protocol. */
export function refuse(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32_000,
): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers });
}
