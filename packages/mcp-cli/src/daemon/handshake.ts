import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Incremented with every incompatible change of the protocol between daemon and command. */
export const protocolNumber = 1;

/** Longest line before both sides are authenticated, in bytes. */
export const maxGreetingBytes = 4_096;

// The handshake consists of three lines. Their shapes never change, so that any two versions can report a mismatch.

/** First line, from the command, with a fresh nonce. */
export interface ClientHello {
  readonly mcpx: number;
  readonly nonce: string;
}

/** Second line, from the daemon, with the proof that it knows the token. */
export interface ServerHello {
  readonly mcpx: number;
  readonly version: string;
  readonly nonce: string;
  readonly proof: string;
}

/** Third line, from the command, with its own proof. Requests may follow at once. */
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

/** An HMAC over side, nonces and protocol version: it is valid for no other side, connection or version. */
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
