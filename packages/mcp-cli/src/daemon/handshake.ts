import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Incremented with every incompatible change of the protocol. */
export const protocolNumber = 1;

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
