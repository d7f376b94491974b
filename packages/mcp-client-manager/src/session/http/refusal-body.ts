import type { SdkHttpError } from '@modelcontextprotocol/client';
import type { RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { isTooDeep } from '../peer/depth-limit.js';
import { readRpcError } from '../peer/json-rpc.js';

/** Returns the JSON-RPC error that a server sent with an HTTP error status, if there is one. */
export function rpcErrorIn(refusal: SdkHttpError): RpcError | undefined {
  const error = bodyOf(refusal)?.error;
  return isRecord(error) && typeof error.code === 'number' && !isTooDeep(error) ? readRpcError(error) : undefined;
}

/** Ignores errors of other requests, and bodies that only resemble JSON-RPC. A refusal may come without an id. */
export function rpcErrorAbout(id: unknown, refusal: SdkHttpError): RpcError | undefined {
  const body = bodyOf(refusal);
  if (id === undefined || body?.jsonrpc !== '2.0' || (body.id ?? id) !== id) return undefined;
  return rpcErrorIn(refusal);
}

function bodyOf({ data }: SdkHttpError): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = JSON.parse(String((data as { text?: unknown }).text));
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
