import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { createJwtVerifier, createTokenVerifier } from '@x/mcp-gateway/identity';
import type { RoleRules } from '@x/mcp-registry';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { KnownCaller } from './audience.js';
import type { AccessPlan, JwtPlan } from './http-plan.js';
import { readTokensFile, type TokenEntry } from './tokens-file.js';

/** Who is behind a token; `undefined`: nobody. */
export type VerifyToken = (token: string) => Promise<KnownCaller | undefined>;

export interface Identity {
  readonly verifyToken: VerifyToken;
  /** Tokens of the file now and before. Never to be shown. */
  readonly secrets: readonly string[];
  /** The tokens file, if there is one. */
  readonly file: string | undefined;
  /**
   * Reads the tokens file again. A token that is no longer in it is refused from then on, and its open streams end.
   *
   * @throws {UsageError} As at the start. The earlier tokens still count.
   */
  reload(): Promise<void>;
}

export interface RoleContext {
  /** Of the config. Read at each use, because they change while it is served. */
  readonly roles: RoleRules;
  /** `--role`. */
  readonly role: string | undefined;
}

/**
 * Who is behind a token: one of the tokens file, or one that the issuer has signed.
 *
 * @throws {UsageError} The tokens file is wrong, or somebody in it could never be served anything.
 */
export async function openIdentity(
  { tokensFile, jwt }: Extract<AccessPlan, { kind: 'identity' }>,
  context: RoleContext,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<Identity> {
  const file = tokensFile === undefined ? undefined : resolve(cwd, tokensFile);
  const signed = jwt === undefined ? [] : [ofSigned(jwt, { isOnlyWay: file === undefined })];
  const secrets = new Set<string>();
  let listed: readonly VerifyToken[] = [];
  const reload = async (): Promise<void> => {
    if (file === undefined) return;
    const entries = await readTokensFile(file);
    for (const entry of entries) if ('token' in entry) secrets.add(entry.token);
    checkRoles(entries, file, context);
    listed = [ofEntries(entries, file)];
  };
  await reload();
  return {
    verifyToken: (token) => firstOf([...listed, ...signed], token),
    get secrets() {
      return Array.from(secrets);
    },
    file,
    reload,
  };
}

async function firstOf(verifiers: readonly VerifyToken[], token: string): Promise<KnownCaller | undefined> {
  for (const verify of verifiers) {
    const caller = await verify(token);
    if (caller !== undefined) return caller;
  }
  return undefined;
}

function ofEntries(entries: readonly TokenEntry[], path: string): VerifyToken {
  const tokens = entries.map((entry) =>
    'token' in entry ? entry : { id: entry.id, role: entry.role, tokenSha256: entry.sha256 },
  );
  try {
    const verify = createTokenVerifier(tokens);
    return async (token) => verify(token);
  } catch (cause) {
    throw new UsageError(`The tokens file ${path} is wrong.`, {
      details: [messageOf(cause)],
      cause,
    });
  }
}

/**
 * The role is read here rather than by the verifier, for which a token without one is nobody's: here its owner is served
 * as `--role` says. Beside a tokens file its ids say whose they are: the issuer knows nothing of the names in there.
 */
function ofSigned(
  { issuer, audience, jwksUrl, roleClaim }: JwtPlan,
  { isOnlyWay }: { readonly isOnlyWay: boolean },
): VerifyToken {
  const verify = createJwtVerifier({ issuer, audience, jwksUrl });
  return async (token) => {
    const verified = await verify(token);
    if (verified === undefined || 'refused' in verified) return undefined;
    const role = roleIn(verified.claims[roleClaim]);
    const { expiresAt } = verified;
    return { id: isOnlyWay ? verified.id : `${issuer}|${verified.id}`, expiresAt, ...(role !== undefined && { role }) };
  };
}

/** A list of one is that one. Several roles, or what is no text, are none that there is; only what is absent is none. */
function roleIn(claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  const [role, ...others] = [claim].flat();
  return typeof role === 'string' && others.length === 0 ? role : '';
}

/** A role that is missing or misspelt is a mistake that is better told now than with each request. */
function checkRoles(entries: readonly TokenEntry[], path: string, { roles: rules, role }: RoleContext): void {
  const known = new Set(rules.map((rule) => rule.role));
  const hasRest = role !== undefined || rules.some(({ isDefault }) => isDefault === true);
  const details = entries.flatMap((entry) => {
    if (entry.role === undefined) return hasRest ? [] : [`"${entry.id}" has no role`];
    return known.has(entry.role) ? [] : [`"${entry.id}" has the role "${entry.role}", which there is not`];
  });
  if (details.length === 0) return;
  throw new UsageError(`Nothing would be served to some of the tokens in ${path}.`, {
    details,
    hint:
      known.size === 0
        ? 'The config has no role_restrictions: add roles to tools.yaml, or serve everything with --token-file.'
        : `Roles in the config: ${[...known].join(', ')}. Those without one are served as --role says.`,
  });
}
