/** Any JSON-RPC message, not narrowed yet. */
export type JsonRpcMessage = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' };

/** The `id` of a JSON-RPC request. */
export type RequestId = string | number;

/** The `error` of a JSON-RPC response, unchanged. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
