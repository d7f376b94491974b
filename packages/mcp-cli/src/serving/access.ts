import { resolve } from 'node:path';
import type { Caller } from '@x/mcp-gateway';
import { type Io, UsageError } from '../command.js';
import { type Audience, audienceByIdentity, audienceOfOwner } from './audience.js';
import type { AccessPlan } from './http-plan.js';
import type { Identity, RoleContext, VerifyToken } from './identity.js';
import { checkToken, type KeptToken, keptToken, readTokenFile } from './token-file.js';

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
  readonly kept: Omit<KeptToken, 'token'> | undefined;
}

export interface AccessContext extends RoleContext {
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
  const { token, ...kept } = await keptToken(stateDirectory, files);
  return { token, kept };
}
