import { ProtocolError } from '@modelcontextprotocol/server';
import { interceptAnswer, interceptedOptions, interceptMessage, interceptorsOf, seesMessages } from '@x/internal/views';
import type { Audience } from '../audiences.js';
import { type GatewayUpstream, rpcErrorOf, type UpstreamRequestOptions, type UpstreamResult } from '../upstream.js';

interface SentRequest {
  readonly method: string;
  readonly params: UpstreamResult;
}

/** Sends a request whose progress, questions and errors pass the interceptors. */
export async function sendThrough(
  { tools }: Pick<Audience, 'tools'>,
  upstream: GatewayUpstream,
  { method, params }: SentRequest,
  options: UpstreamRequestOptions,
): Promise<UpstreamResult> {
  const parts = interceptorsOf(tools)?.parts;
  if (parts === undefined || !seesMessages(parts)) return upstream.request(method, params, options);
  const { name: server } = upstream;
  try {
    return await upstream.request(method, params, interceptedOptions(parts, server, options));
  } catch (error) {
    const rpc = rpcErrorOf(error);
    if (rpc === undefined) throw error;
    const { code, message, data } = rpc;
    const body = interceptMessage(parts, { kind: 'error', method, server, body: { message, data } });
    throw new ProtocolError(code, String(body.message), body.data);
  }
}

/** The same for a request whose result passes the interceptors as a message, too. */
export async function answerThrough(
  audience: Pick<Audience, 'tools'>,
  upstream: GatewayUpstream,
  request: SentRequest,
  options: UpstreamRequestOptions,
): Promise<UpstreamResult> {
  const result = await sendThrough(audience, upstream, request, options);
  const origin = { method: request.method, server: upstream.name };
  return interceptAnswer(interceptorsOf(audience.tools)?.parts, origin, result);
}
