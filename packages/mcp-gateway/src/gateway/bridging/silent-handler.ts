import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallHandler } from '@x/internal/contracts';

/** Refuses all server requests, so that they reach no other client. */
export function silentHandler(client: unknown, owner: unknown): CallHandler {
  return { client, owner, capabilities: {}, answer: refuse };
}

export async function refuse({ method }: { readonly method: string }): Promise<never> {
  const message = `The client that this is for cannot be asked for "${method}" in the middle of this request`;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
