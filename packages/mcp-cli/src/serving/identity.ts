import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import type { Caller } from '@x/mcp-gateway';
import { createJwtVerifier, createTokenVerifier } from '@x/mcp-gateway/identity';
import type { RoleRules } from '@x/mcp-registry';
import type { Io } from '../command.js';
import { UsageError } from '../command.js';
import type { AccessPlan, JwtPlan } from './http-plan.js';
import { readTokensFile, type TokenEntry } from './tokens-file.js';

export interface KnownCaller extends Caller {
  readonly role?: string | undefined;
}

/** `undefined` for an invalid token. */
export type VerifyToken = (token: string) => Promise<KnownCaller | undefined>;

export interface Identity {
  readonly verifyToken: VerifyToken;
  /** All tokens that the file ever contained. Never printed. */
  readonly secrets: readonly string[];
  /** The tokens file. */
  readonly file: string | undefined;
  /**
   * Reloads the tokens file. Removed tokens are refused, and their open streams end.
   *
   * @throws {UsageError} The file is invalid. The earlier tokens stay valid.
   */
  reload(): Promise<void>;
}

export interface RoleContext {
  /** Roles of the config, which change while serving. */
  readonly roles: RoleRules;
  /** `--role`. */
  readonly role: string | undefined;
}

/**
 * Verifies tokens of the tokens file and tokens signed by the issuer.
 *
 * @throws {UsageError} The tokens file is invalid, or an entry has no usable role.
 */
export async function openIdentity(
  { tokensFile, jwt }: Extract<AccessPlan, { kind: 'identity' }>,
  context: RoleContext,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<Identity> {
  const file = tokensFile === undefined ? undefined : resolve(cwd, tokensFile);
  const signed = jwt === undefined ? [] : [jwtVerifier(jwt, { isOnlyWay: file === undefined })];
  const secrets = new Set<string>();
  let listed: readonly VerifyToken[] = [];
  const reload = async (): Promise<void> => {
    if (file === undefined) return;
    const entries = await readTokensFile(file);
    for (const entry of entries) if ('token' in entry) secrets.add(entry.token);
    checkRoles(entries, file, context);
    listed = [entriesVerifier(entries, file)];
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

function entriesVerifier(entries: readonly TokenEntry[], path: string): VerifyToken {
  const tokens = entries.map((entry) =>
    'token' in entry ? entry : { id: entry.id, role: entry.role, tokenSha256: entry.sha256 },
  );
  try {
    const verify = createTokenVerifier(tokens);
    return async (token) => verify(token);
  } catch (cause) {
    throw new UsageError(`The tokens file ${path} is invalid.`, {
      details: [messageOf(cause)],
      cause,
    });
  }
}

/**
 * Reads the role itself, because the verifier rejects tokens without one, to which `--role` applies. Beside a tokens file
 * the issuer prefixes the ids, so that they never equal ids of the file.
 */
function jwtVerifier(
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

/** Several roles, or a value that is no string, become an unknown role. Only an absent claim means no role. */
function roleIn(claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  const [role, ...others] = [claim].flat();
  return typeof role === 'string' && others.length === 0 ? role : '';
}

/** Reports missing and unknown roles at the start. */
function checkRoles(entries: readonly TokenEntry[], path: string, { roles: rules, role }: RoleContext): void {
  const known = new Set(rules.map((rule) => rule.role));
  const hasDefaultRole = role !== undefined || rules.some(({ isDefault }) => isDefault === true);
  const details = entries.flatMap((entry) => {
    if (entry.role === undefined) return hasDefaultRole ? [] : [`"${entry.id}" has no role`];
    return known.has(entry.role) ? [] : [`"${entry.id}" has the role "${entry.role}", which does not exist`];
  });
  if (details.length === 0) return;
  throw new UsageError(`Some tokens in ${path} have no access.`, {
    details,
    hint:
      known.size === 0
        ? 'The config has no role_restrictions: add roles to tools.yaml, or serve everything with --token-file.'
        : `Roles in the config: ${[...known].join(', ')}. Tokens without a role get that of --role.`,
  });
}
