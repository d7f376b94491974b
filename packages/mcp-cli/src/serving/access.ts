import { resolve } from 'node:path';
import type { Caller } from '@x/mcp-gateway';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { type Audience, audienceByIdentity, audienceOfOwner } from './audience.js';
import type { AccessPlan } from './http-plan.js';
import type { Identity, RoleContext, VerifyToken } from './identity.js';
import { checkToken, type KeptToken, keptToken, readTokenFile } from './token-file.js';

/** Who may ask, and as whom they are served: what a gateway's HTTP handler is made with. */
export interface Access {
  readonly callers:
    | { readonly allowAnonymous: true }
    | { readonly token: string }
    | { readonly verifyToken: VerifyToken };
  readonly audienceOf: (caller: Caller) => Audience | undefined;
  /** Never to be shown. */
  readonly secrets: readonly string[];
  /** The file of tokens that can be read again while it is served. */
  readonly tokens?: Pick<Identity, 'file' | 'reload'> | undefined;
  /** Where the token of this config is kept, if it is that one that callers need. */
  readonly kept: Omit<KeptToken, 'token'> | undefined;
}

export interface AccessContext extends RoleContext {
  /** The files of the config. */
  readonly files: readonly string[];
}

/**
 * Gets hold of the tokens that the plan names; makes the one of this config if there is none yet.
 *
 * @throws {UsageError} A file cannot be read, or what is in it does not fit the config.
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
      // Loaded here: one token needs no library that checks signatures.
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
    throw new UsageError('There is no directory in which a token could be kept for you.', {
      hint: 'Give one of your own with --token-file FILE.',
    });
  }
  const { token, ...kept } = await keptToken(stateDirectory, files);
  return { token, kept };
}
