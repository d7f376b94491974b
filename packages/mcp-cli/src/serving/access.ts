import { resolve } from 'node:path';
import type { Caller } from '@x/mcp-gateway';
import type { RoleRules } from '@x/mcp-registry';
import type { Io } from '../command.js';
import { UsageError } from '../command.js';
import type { AccessPlan } from './http-plan.js';
import type { Identity, KnownCaller, RoleContext, VerifyToken } from './identity.js';
import { checkToken, loadOrCreateToken, readTokenFile, type StoredToken } from './token-file.js';

/** Authentication and views of callers, for the HTTP handler of a gateway. */
export interface Access {
  readonly callers:
    | { readonly allowAnonymous: true }
    | { readonly token: string }
    | { readonly verifyToken: VerifyToken };
  readonly audienceOf: (caller: Caller) => Audience | undefined;
  /** Never printed. */
  readonly secrets: readonly string[];
  /** The tokens file, if there is one. */
  readonly tokens?: Pick<Identity, 'file' | 'reload'> | undefined;
  /** File with the generated token, if callers need it. */
  readonly kept: Omit<StoredToken, 'token'> | undefined;
}

interface AccessContext extends RoleContext {
  /** Of the config. */
  readonly files: readonly string[];
}

/**
 * Reads the tokens that the plan names. Generates a missing token of this config.
 *
 * @throws {UsageError} A file cannot be read, or its content does not fit the config.
 */
export async function openAccess(plan: AccessPlan, context: AccessContext, io: Io): Promise<Access> {
  const audienceOf = audienceOfOwner(context.role);
  switch (plan.kind) {
    case 'open':
      return { callers: { allowAnonymous: true }, audienceOf, secrets: [], kept: undefined };
    case 'token': {
      const { token, kept } = await ownToken(plan.file, context, io);
      return { callers: { token }, audienceOf, secrets: [token], kept };
    }
    case 'identity': {
      // Lazy, because a plain token needs no library for signatures.
      const { openIdentity } = await import('./identity.js');
      const identity = await openIdentity(plan, context, io);
      return {
        callers: { verifyToken: identity.verifyToken },
        audienceOf: (caller) => audienceByIdentity(context.roles, context.role)(caller),
        get secrets() {
          return identity.secrets;
        },
        tokens: identity,
        kept: undefined,
      };
    }
  }
}

async function ownToken(
  file: string | undefined,
  { files }: AccessContext,
  { env, cwd, stateDirectory }: Io,
): Promise<{ readonly token: string; readonly kept: Access['kept'] }> {
  if (file !== undefined) return { token: await readTokenFile(resolve(cwd, file)), kept: undefined };
  if (env.MCPX_TOKEN) return { token: checkToken(env.MCPX_TOKEN, 'MCPX_TOKEN'), kept: undefined };
  if (stateDirectory === undefined) {
    throw new UsageError('There is no directory to store a token in.', {
      hint: 'Use your own token with --token-file FILE.',
    });
  }
  const { token, ...kept } = await loadOrCreateToken(stateDirectory, files);
  return { token, kept };
}

/** Options of a registry's view. */
interface Audience {
  readonly role?: string;
  readonly principal?: string;
}

/**
 * Views of callers with an identity. A caller without a role has `fallback`, else the default role of the config. One
 * without any role, or with an unknown one, has no view: a misspelt role must not open everything.
 */
export function audienceByIdentity(
  rules: RoleRules,
  fallback: string | undefined,
): (caller: KnownCaller) => Audience | undefined {
  const known = new Set(rules.map(({ role }) => role));
  const defaultRole = fallback ?? rules.find(({ isDefault }) => isDefault === true)?.role;
  return ({ id, role = defaultRole }) => (role === undefined || !known.has(role) ? undefined : { role, principal: id });
}

/** The owner of the single token, and callers without authentication, have the same view as over stdio. */
export function audienceOfOwner(role: string | undefined): () => Audience {
  return () => (role === undefined ? {} : { role });
}
