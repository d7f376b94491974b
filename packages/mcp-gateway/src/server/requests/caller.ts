import { milliseconds, type OptionRows, type Resolved } from '@x/internal/options';
import { createTokenVerifier, MIN_TOKEN_LENGTH, ownersOf, TOKEN_TEXT } from '../../identity/static-tokens.js';
import { isTokenRefusal, type TokenRefusal } from '../../identity/token-refusal.js';
import { HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';
import { type LeaseOptions, TokenLease } from './token-lease.js';

/** Who sends a request. May have further fields, which the function that chooses a view is given as they are. */
export interface Caller {
  /** The same for all requests of one caller: a session belongs to whoever has opened it. */
  readonly id: string;
  /** When the token ends, in milliseconds since 1970, where that is known: what was opened with it is looked at then. */
  readonly expiresAt?: number | undefined;
}

/** One of the first three has to be given: what is reachable over HTTP is reachable for every program of the machine. */
export interface CallerOptions<Who extends Caller = Caller> {
  /** The one token that requests have to bring, as `Authorization: Bearer <token>`. At least 16 characters. */
  readonly token?: string | undefined;
  /**
   * Says whose token that is; `undefined` if nobody's, or not any more. Asked for each request. `createTokenVerifier` and
   * `createJwtVerifier` of `@x/mcp-gateway/identity` make such functions. What it throws ends the request with 503 and
   * is told to `onError`.
   */
  readonly verifyToken?:
    | ((token: string, request: Request) => Who | TokenRefusal | undefined | Promise<Who | TokenRefusal | undefined>)
    | undefined;
  /** Serves requests that bring no token. For servers behind something that checks who asks. */
  readonly allowAnonymous?: true | undefined;
  /**
   * How often `verifyToken` is asked again about what is open, in milliseconds. A stream of changes ends when its token
   * does; a call is cancelled if the token is taken back, and may finish if the token only expires. Default 60 000.
   */
  readonly tokenCheckMs?: number | undefined;
}

export const callerRows = {
  token: { kind: 'other', check: tokenFault },
  verifyToken: { kind: 'function' },
  allowAnonymous: { kind: 'other' },
  tokenCheckMs: { ...milliseconds, default: 60_000 },
} as const satisfies OptionRows<CallerOptions>;

const ANYBODY: Caller = { id: 'anybody' };
const OWNER: Caller = { id: 'token' };

type Verified = Caller | TokenRefusal | undefined;
type Verify = (token: string, ask: HttpAsk) => Verified | Promise<Verified>;

/** How requests are answered that are not let in. */
export interface CallerAnswers {
  /** Where clients learn how to get a token (RFC 9728). */
  readonly metadataUrl: string | undefined;
  readonly onError: ((error: Error) => void) | undefined;
}

/** Finds out who sends a request. */
export class CallerCheck {
  /** Those that can be told of before any of them asks; of a `verifyToken` of the app's own, none. */
  readonly known: readonly Caller[];
  /** Then nobody else is there to be kept from anything. */
  readonly hasOneCaller: boolean;
  readonly #verify: Verify | undefined;
  readonly #checkMs: number;

  /** @throws {TypeError} if it is not said who may send requests, or is said in two ways. */
  constructor({ token, verifyToken, allowAnonymous, tokenCheckMs }: Resolved<CallerOptions, typeof callerRows>) {
    const given = [token, verifyToken, allowAnonymous].filter((option) => option !== undefined);
    if (given.length !== 1 || (allowAnonymous !== undefined && allowAnonymous !== true)) {
      throw new TypeError(
        'One of token, verifyToken and allowAnonymous: true must be given, so that it is said who may send requests',
      );
    }
    this.#checkMs = tokenCheckMs;
    this.hasOneCaller = verifyToken === undefined;
    this.known = verifyToken === undefined ? [token === undefined ? ANYBODY : OWNER] : ownersOf(verifyToken);
    this.#verify =
      token === undefined
        ? verifyToken && ((given, ask) => verifyToken(given, ask.toRequest()))
        : createTokenVerifier([{ token, ...OWNER }]);
  }

  get isOpen(): boolean {
    return this.#verify === undefined;
  }

  /** @returns Who asks, or the answer to somebody who may not. */
  async identify(ask: HttpAsk, answers: CallerAnswers): Promise<Caller | HttpAnswer> {
    if (this.#verify === undefined) return ANYBODY;
    const challenge = (params: Readonly<Record<string, string>>) => challengeOf(params, answers);
    const token = tokenOf(ask);
    if (token === undefined) {
      return refuse(401, 'This server needs a token, as Authorization: Bearer <token>', challenge({}));
    }
    const caller = await verified(this.#verify, { token, ask }, answers);
    if (caller instanceof HttpAnswer) return caller;
    if (caller === undefined) return notValid(answers);
    if (!isTokenRefusal(caller)) return caller;
    const scope = caller.requiredScopes.join(' ');
    return refuse(403, `This needs a token with ${scope}`, challenge({ error: 'insufficient_scope', scope }));
  }

  /**
   * Looks after what a caller has opened; `undefined` where nothing can become of the token.
   *
   * @param isServed - Whether that caller is still served the same.
   */
  lease(
    ask: HttpAsk,
    { caller, isServed, answers, ...options }: LeaseTerms & { readonly answers: CallerAnswers },
  ): TokenLease | undefined {
    const verify = this.hasOneCaller ? undefined : this.#verify;
    const token = tokenOf(ask);
    if (verify === undefined || token === undefined) return undefined;
    return new TokenLease(ask, {
      ...options,
      checkMs: this.#checkMs,
      expiresAt: caller.expiresAt,
      refused: () => notValid(answers),
      onError: answers.onError,
      isGood: async () => {
        const now = await verify(token, ask);
        return now !== undefined && !isTokenRefusal(now) && isSame(caller, now) && isServed(now);
      },
    });
  }
}

export interface LeaseTerms extends Pick<LeaseOptions, 'lasts' | 'onRevoked'> {
  readonly caller: Caller;
  readonly isServed: (caller: Caller) => boolean;
}

/** Without the value: what is nearly a token is often one. */
function tokenFault(token: unknown): string | undefined {
  const isToken = typeof token === 'string' && TOKEN_TEXT.test(token) && token.length >= MIN_TOKEN_LENGTH;
  return isToken ? undefined : `a text of at least ${MIN_TOKEN_LENGTH} characters, visible ASCII with no space`;
}

function tokenOf(ask: HttpAsk): string | undefined {
  return ask.header('authorization')?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1];
}

function notValid(answers: CallerAnswers): HttpAnswer {
  return refuse(401, 'The token is not valid here, or not any more', challengeOf({ error: 'invalid_token' }, answers));
}

/** A caller may have been given another role meanwhile. */
function isSame(before: Caller & { readonly role?: unknown }, now: Caller & { readonly role?: unknown }): boolean {
  return before.id === now.id && before.role === now.role;
}

async function verified(
  verify: Verify,
  { token, ask }: { readonly token: string; readonly ask: HttpAsk },
  { onError }: CallerAnswers,
): Promise<Verified | HttpAnswer> {
  try {
    const caller = await verify(token, ask);
    if (caller === undefined || isTokenRefusal(caller)) return caller;
    if (typeof caller.id === 'string' && caller.id !== '') return caller;
    throw new TypeError('verifyToken gave a caller without an id');
  } catch (error) {
    // Who asks cannot be told right now. Why is for operators: it may tell of a directory, its address and its keys.
    onError?.(error instanceof Error ? error : new Error(String(error)));
    return refuse(503, 'The server cannot tell right now who asks; try again later', { 'retry-after': '10' });
  }
}

/** As RFC 6750 and RFC 9728 have it. */
function challengeOf(
  params: Readonly<Record<string, string>>,
  { metadataUrl }: CallerAnswers,
): Readonly<Record<string, string>> {
  const all = { ...(metadataUrl !== undefined && { resource_metadata: metadataUrl }), ...params };
  const listed = Object.entries(all).map(([name, value]) => `${name}="${quoted(value)}"`);
  return { 'www-authenticate': `Bearer ${listed.join(', ')}`.trimEnd() };
}

function quoted(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, ' ').replace(/["\\]/g, '\\$&');
}
