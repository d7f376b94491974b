import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Grows when a daemon and a command of different numbers would misunderstand one another. */
export const protocolNumber = 1;

/** Longest line before both sides are proven, in bytes. */
export const maxGreetingBytes = 4_096;

// The three lines before everything else. Their shapes stay for ever, so that any two versions can at least part politely.

/** First, from the command: what nobody can have answered before. */
export interface ClientHello {
  readonly mcpx: number;
  readonly nonce: string;
}

/** Second, from the daemon, which proves that it knows the token. */
export interface ServerHello {
  readonly mcpx: number;
  readonly version: string;
  readonly nonce: string;
  readonly proof: string;
}

/** Third, from the command, which proves the same. Requests may follow at once. */
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

/** Neither side's proof is good for the other side, for another connection or another protocol. */
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
