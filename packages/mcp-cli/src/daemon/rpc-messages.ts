import type { ControlErrorData } from '../control/control-error.js';

// JSON-RPC 2.0, one message per line. Until the response to a request the daemon may send server requests back.

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

export type RpcAnswer =
  | { readonly jsonrpc: '2.0'; readonly id: number; readonly result: unknown }
  | {
      readonly jsonrpc: '2.0';
      readonly id: number;
      readonly error: { readonly code: number; readonly message: string; readonly data: ControlErrorData };
    };

/** An item before the response: a step, a line, progress. */
export interface RpcItem {
  readonly jsonrpc: '2.0';
  readonly method: '$/item';
  readonly params: { readonly id: number; readonly item: unknown };
}

/** A server request for the sender of request `id`. */
export interface RpcServerRequest {
  readonly jsonrpc: '2.0';
  readonly method: '$/ask';
  readonly params: { readonly id: number; readonly n: number; readonly question: unknown };
}

/** The daemon no longer needs the reply. */
export interface RpcWithdrawal {
  readonly jsonrpc: '2.0';
  readonly method: '$/withdraw';
  readonly params: { readonly id: number; readonly n: number };
}

/** Reply to a server request. */
export interface RpcReply {
  readonly jsonrpc: '2.0';
  readonly method: '$/reply';
  readonly params: {
    readonly id: number;
    readonly n: number;
    readonly result?: unknown;
    readonly error?: { readonly message: string; readonly code?: number; readonly data?: unknown };
  };
}

export interface RpcCancel {
  readonly jsonrpc: '2.0';
  readonly method: '$/cancel';
  readonly params: { readonly id: number };
}

/** `$/ping` from the command, `$/pong` from the daemon. */
export interface RpcHeartbeat {
  readonly jsonrpc: '2.0';
  readonly method: '$/ping' | '$/pong';
}

/** From the server-error range of JSON-RPC; `data.code` specifies the failure. */
export const failedRequest = -32_000;

/** Largest messages, in bytes. A tool's result may have 32 MiB, and JSON within JSON takes more. */
export const maxRequestBytes = 40 * 1_024 * 1_024;
export const maxAnswerBytes = 80 * 1_024 * 1_024;
