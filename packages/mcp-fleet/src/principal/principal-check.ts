import { BoundedMap } from '@x/internal/limits';
import { compactVerify, importJWK } from 'jose';
import type { KnownNode, KnownNodes } from '../calls/known-nodes.js';
import { FleetError } from '../errors.js';
import { MAX_LIFETIME_MS, PRINCIPAL_ALGORITHM, type PrincipalClaims, readClaims } from './claims.js';

/** Longest wait in milliseconds for a lease: a node sends its first call and its lease at the same time. */
const LEASE_WAIT_MS = 2_000;
const MAX_VERIFIED = 1_000;
const MAX_TOKEN_LENGTH = 16_384;

export interface Principal {
  readonly node: string;
  readonly incarnation: number;
  readonly role?: string | undefined;
  readonly principal?: string | undefined;
}

interface PrincipalCheckOptions {
  /** This node; tokens for other nodes are rejected. */
  readonly node: string;
  readonly nodes: KnownNodes;
}

export interface PrincipalCheck {
  /**
   * Verifies a token.
   *
   * @param token - As received.
   * @param sender - Calling node, according to the bus.
   * @param signal - Ends the wait for a node whose lease is not known yet.
   * @returns Synchronously for a cached token.
   * @throws {FleetError} `refused`, always as a rejection.
   */
  check(token: unknown, sender: string, signal: AbortSignal): Principal | Promise<Principal>;
}

interface Verified {
  readonly principal: Principal;
  readonly claims: PrincipalClaims;
}

export function createPrincipalCheck(options: PrincipalCheckOptions): PrincipalCheck {
  return new TokenCheck(options);
}

class TokenCheck implements PrincipalCheck {
  readonly #node: string;
  readonly #nodes: KnownNodes;
  readonly #verified = new BoundedMap<string, Verified>(MAX_VERIFIED);
  readonly #verifying = new Map<string, Promise<Principal>>();

  constructor({ node, nodes }: PrincipalCheckOptions) {
    this.#node = node;
    this.#nodes = nodes;
  }

  check(token: unknown, sender: string, signal: AbortSignal): Principal | Promise<Principal> {
    const known = typeof token === 'string' ? this.#verified.get(token) : undefined;
    if (known === undefined || typeof token !== 'string') return this.#verify(token, sender, signal);
    if (known.claims.iss === sender && this.#isCurrent(known.claims)) return known.principal;
    this.#verified.delete(token);
    return this.#verify(token, sender, signal);
  }

  async #verify(token: unknown, sender: string, signal: AbortSignal): Promise<Principal> {
    if (typeof token !== 'string') throw this.#refused(sender, 'it sent no token');
    const claims = token.length > MAX_TOKEN_LENGTH ? undefined : readClaims(token);
    if (claims === undefined) throw this.#refused(sender, 'it sent text that is not a token of a fleet');
    if (claims.iss !== sender) throw this.#refused(sender, `its token is of the node ${JSON.stringify(claims.iss)}`);
    if (claims.aud !== this.#node) {
      throw this.#refused(sender, `its token is for the node ${JSON.stringify(claims.aud)}`);
    }
    const issuer = await liveIssuer(this.#nodes, sender, claims.inc, signal);
    if (issuer === undefined) {
      const known = this.#nodes.find(sender)?.incarnation ?? 'none';
      const isNew = known === 'none' || known < claims.inc;
      const why = `its token is for incarnation ${claims.inc}, and the live one is ${known}`;
      throw this.#refused(sender, why, { retryable: isNew });
    }
    const remainingMs = claims.exp * 1_000 - issuer.clockMs();
    if (remainingMs <= 0) throw this.#refused(sender, 'its token has expired');
    if (remainingMs > MAX_LIFETIME_MS) throw this.#refused(sender, 'its token is valid for too long');
    const pending = this.#verifying.get(token) ?? this.#verifySignature(token, claims, issuer);
    this.#verifying.set(token, pending);
    const principal = await pending.finally(() => this.#verifying.delete(token));
    if (!this.#isCurrent(claims)) throw this.#refused(sender, 'its lease has ended');
    return principal;
  }

  async #verifySignature(token: string, claims: PrincipalClaims, issuer: KnownNode): Promise<Principal> {
    try {
      const key = await importJWK(issuer.publicKey, PRINCIPAL_ALGORITHM);
      await compactVerify(token, key, { algorithms: [PRINCIPAL_ALGORITHM] });
    } catch (cause) {
      throw this.#refused(claims.iss, 'its token is not signed with the key of its lease', { cause });
    }
    const { iss, inc, role, sub } = claims;
    const caller = { ...(role === undefined ? {} : { role }), ...(sub === undefined ? {} : { principal: sub }) };
    const principal: Principal = { node: iss, incarnation: inc, ...caller };
    this.#verified.set(token, { principal, claims });
    return principal;
  }

  #isCurrent({ iss, inc, exp }: PrincipalClaims): boolean {
    const issuer = this.#nodes.find(iss);
    return issuer?.incarnation === inc && exp * 1_000 > issuer.clockMs();
  }

  #refused(sender: string, why: string, options: ErrorOptions & { retryable?: boolean } = {}): FleetError {
    const message = `The node ${this.#node} rejects the principal of the call from the node ${sender}: ${why}`;
    return new FleetError('refused', message, { node: this.#node, ...options });
  }
}

/**
 * Node of exactly that incarnation. Returns at once if it is known; `undefined` if it has ended or does not appear in
 * time.
 */
function liveIssuer(
  nodes: KnownNodes,
  node: string,
  incarnation: number,
  signal: AbortSignal,
): KnownNode | undefined | Promise<KnownNode | undefined> {
  const known = nodes.find(node);
  if (known !== undefined && known.incarnation >= incarnation) return exactly(known, incarnation);
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = (found: KnownNode | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      subscription[Symbol.dispose]();
      resolve(found);
    };
    const giveUp = () => end(undefined);
    const timer = setTimeout(giveUp, LEASE_WAIT_MS);
    signal.addEventListener('abort', giveUp);
    const subscription = nodes.onFound((found, foundIncarnation) => {
      if (found === node && foundIncarnation >= incarnation) end(exactly(nodes.find(node), incarnation));
    });
  });
}

function exactly(known: KnownNode | undefined, incarnation: number): KnownNode | undefined {
  return known?.incarnation === incarnation ? known : undefined;
}
