import type { ToolCaller } from '@x/internal/contracts';
import { BoundedMap } from '@x/internal/limits';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { FleetError } from '../errors.js';
import { MAX_LIFETIME_MS, PRINCIPAL_ALGORITHM, PRINCIPAL_TYPE } from './claims.js';

const MAX_TOKENS = 1_000;

export interface PrincipalsOptions {
  readonly node: string;
  readonly incarnation: number;
  readonly privateKey: NodeKey['privateKey'];
  /** Lifetime of a token in milliseconds. Default 60 000, at most 600 000. */
  readonly lifetimeMs?: number | undefined;
  /** This node's clock in milliseconds of Unix time, as its heartbeats report it. Default `nodeClockMs`. */
  readonly clock?: (() => number) | undefined;
}

export interface Principals {
  /** Token for one node. A cached token is reused for half of its lifetime and returned synchronously. */
  tokenFor(owner: string, caller?: ToolCaller): string | Promise<string>;
}

interface Signed {
  readonly token: string | Promise<string>;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function createPrincipals({
  node,
  incarnation,
  privateKey,
  lifetimeMs = 60_000,
  clock = nodeClockMs,
}: PrincipalsOptions): Principals {
  if (!(lifetimeMs > 0 && lifetimeMs <= MAX_LIFETIME_MS)) {
    throw new TypeError(`lifetimeMs must be more than 0 and at most ${MAX_LIFETIME_MS}, got ${lifetimeMs}`);
  }
  const tokens = new BoundedMap<string, Signed>(MAX_TOKENS);

  function sign(owner: string, { principal, role }: ToolCaller, nowMs: number): Promise<string> {
    const claims = { inc: incarnation, ...(role === undefined ? {} : { role }) };
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: PRINCIPAL_ALGORITHM, typ: PRINCIPAL_TYPE })
      .setIssuer(node)
      .setAudience(owner)
      .setJti(crypto.randomUUID())
      .setIssuedAt(nowMs / 1_000)
      .setExpirationTime((nowMs + lifetimeMs) / 1_000);
    return (principal === undefined ? token : token.setSubject(principal)).sign(privateKey);
  }

  return {
    tokenFor(owner, caller = {}) {
      const key = JSON.stringify([owner, caller.role, caller.principal]);
      const nowMs = clock();
      const known = tokens.get(key);
      if (known !== undefined && nowMs >= known.fromMs && nowMs < known.untilMs) return known.token;
      const times = { fromMs: nowMs, untilMs: nowMs + lifetimeMs / 2 };
      const signing = sign(owner, caller, nowMs);
      const entry = { ...times, token: signing };
      tokens.renew(key, entry);
      signing.then(
        (token) => tokens.get(key) === entry && tokens.set(key, { ...times, token }),
        () => tokens.get(key) === entry && tokens.delete(key),
      );
      return signing;
    },
  };
}

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface NodeKey {
  /** Not extractable. */
  readonly privateKey: KeyPair['privateKey'];
  /** Published in the lease: a JSON Web Key, Ed25519. */
  readonly publicKey: Readonly<Record<string, unknown>>;
}

/**
 * Creates this process's key pair. The node signs the principals of its calls with it; other nodes verify them with the
 * public key in the lease.
 *
 * @throws {FleetError} `unsuitable-runtime`: the runtime has no Ed25519, such as one in FIPS mode.
 */
export async function createNodeKey(): Promise<NodeKey> {
  try {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    return { privateKey, publicKey: await exportJWK(publicKey) };
  } catch (cause) {
    const message = 'This runtime cannot create Ed25519 keys, which nodes need to sign their calls';
    throw new FleetError('unsuitable-runtime', message, { cause });
  }
}

/**
 * Unix milliseconds: system time at the process start plus monotonic time, because other nodes compare successive
 * values.
 */
export function nodeClockMs(): number {
  return performance.timeOrigin + performance.now();
}
