/** An answer to a request that never came to be one of the protocol. */
export function refuse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  { code = -32_000, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status, headers });
}

/** The id of the request that an answer is to, where that can be told. */
export function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
