import type { ControlErrorData } from '../control/control-error.js';

// JSON-RPC 2.0, one message a line. Requests go from the command to the daemon only; while one is worked on, the daemon may ask
// the command what it needs for it.

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

/** What belongs to a request and comes before its answer: a step, a line, progress. */
export interface RpcItem {
  readonly jsonrpc: '2.0';
  readonly method: '$/item';
  readonly params: { readonly id: number; readonly item: unknown };
}

/** What is asked of the command for its request, before that is answered. */
export interface RpcQuestion {
  readonly jsonrpc: '2.0';
  readonly method: '$/ask';
  readonly params: { readonly id: number; readonly n: number; readonly question: unknown };
}

/** The daemon does not want to know any more. */
export interface RpcWithdrawal {
  readonly jsonrpc: '2.0';
  readonly method: '$/withdraw';
  readonly params: { readonly id: number; readonly n: number };
}

/** What the command says to a question: `result`, or `error` if it does not answer. */
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

/** The command does not wait any more. */
export interface RpcCancel {
  readonly jsonrpc: '2.0';
  readonly method: '$/cancel';
  readonly params: { readonly id: number };
}

/** `$/ping` from the command, `$/pong` from the daemon: whether the other side still runs its loop. */
export interface RpcBeat {
  readonly jsonrpc: '2.0';
  readonly method: '$/ping' | '$/pong';
}

/** The server's own range of JSON-RPC; what it is about is in `data.code`. */
export const failedRequest = -32_000;

/** Largest request and largest answer, in bytes. A tool's result may have 32 MiB, and JSON within JSON takes more. */
export const maxRequestBytes = 40 * 1_024 * 1_024;
export const maxAnswerBytes = 80 * 1_024 * 1_024;
