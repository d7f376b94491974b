import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ControlErrorData } from '../../control/control-error.js';

/** Incremented with every incompatible change of the protocol. */
export const protocolNumber = 2;

/** Longest line of the handshake, in bytes. */
export const maxGreetingBytes = 4_096;

// The shapes of these three lines never change, so that any two versions can report a mismatch.

/** First line, from the command, with a fresh nonce. */
export interface ClientHello {
  readonly mcpx: number;
  readonly nonce: string;
}

/** Second line, from the daemon, which proves that it knows the token. */
export interface ServerHello {
  readonly mcpx: number;
  readonly version: string;
  readonly nonce: string;
  readonly proof: string;
}

/** Third line, from the command. Requests may follow at once. */
export interface ClientProof {
  readonly proof: string;
}

interface Nonces {
  readonly client: string;
  readonly server: string;
}

export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** An HMAC, valid for no other side, connection or protocol version. */
export function proofOf(token: string, side: 'client' | 'server', { client, server }: Nonces): string {
  return createHmac('sha256', token).update(`mcpx ${protocolNumber} ${side} ${client} ${server}`).digest('hex');
}

export function isProofOf(proof: unknown, token: string, side: 'client' | 'server', nonces: Nonces): boolean {
  if (typeof proof !== 'string') return false;
  const given = Buffer.from(proof);
  const right = Buffer.from(proofOf(token, side, nonces));
  return given.length === right.length && timingSafeEqual(given, right);
}

export function isNonce(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
}

// JSON-RPC 2.0, one message per line. Until the response to a request the daemon may send server requests back.

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

export type RpcResponse =
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

/** For the user, before the first response. */
export interface RpcNotice {
  readonly jsonrpc: '2.0';
  readonly method: '$/notice';
  readonly params: { readonly text: string };
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
export const maxResponseBytes = 80 * 1_024 * 1_024;
