import { milliseconds, type OptionRows, type Resolved } from '@x/internal/options';
import {
  createTokenVerifier,
  isTokenRefusal,
  MIN_TOKEN_LENGTH,
  ownersOf,
  TOKEN_TEXT,
  type TokenRefusal,
} from '../../identity/static-tokens.js';
import { type HttpRequest, HttpResponse, refuse } from '../http-messages.js';
import { type LeaseOptions, TokenLease } from './token-lease.js';

/** The sender of a request. Further fields reach the function that chooses a view. */
export interface Caller {
  /** The same in all requests of one caller. A session belongs to the caller that opened it. */
  readonly id: string;
  /** Expiry of the token in milliseconds since 1970, if known. Open streams end then. */
  readonly expiresAt?: number | undefined;
}

/**
 * Options of access. Exactly one of the first three is required: any program on the machine can reach an HTTP server.
 */
export interface CallerOptions<Who extends Caller = Caller> {
  /** The token of all requests, as `Authorization: Bearer <token>`. At least 16 characters. */
  readonly token?: string | undefined;
  /**
   * Returns the caller of a token, or `undefined` for an invalid one. Called for each request. See
   * `createTokenVerifier` and `createJwtVerifier` of `@x/mcp-gateway/identity`. If it throws, the client gets 503 and
   * `onError` the error.
   */
  readonly verifyToken?:
    | ((token: string, request: Request) => Who | TokenRefusal | undefined | Promise<Who | TokenRefusal | undefined>)
    | undefined;
  /** Serves requests without a token. For servers behind another access control. */
  readonly allowAnonymous?: true | undefined;
  /**
   * Interval at which `verifyToken` rechecks open streams and calls, in milliseconds. Streams end with their token.
   * Calls are cancelled if the token is revoked, but may finish if it expires. Default 60 000.
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
type Verify = (token: string, ask: HttpRequest) => Verified | Promise<Verified>;

interface CallerAnswers {
  /** Address of the resource metadata (RFC 9728). */
  readonly metadataUrl: string | undefined;
  readonly onError: ((error: Error) => void) | undefined;
}

export class CallerCheck {
  /** Callers known before any request. Empty for an app's own `verifyToken`. */
  readonly known: readonly Caller[];
  /** True without `verifyToken`: all requests count as one caller. */
  readonly hasOneCaller: boolean;
  readonly #verify: Verify | undefined;
  readonly #checkMs: number;

  /** @throws {TypeError} if access is not configured, or in two ways. */
  constructor({ token, verifyToken, allowAnonymous, tokenCheckMs }: Resolved<CallerOptions, typeof callerRows>) {
    const given = [token, verifyToken, allowAnonymous].filter((option) => option !== undefined);
    if (given.length !== 1 || (allowAnonymous !== undefined && allowAnonymous !== true)) {
      throw new TypeError(
        'Exactly one of token, verifyToken and allowAnonymous: true must be given, which decides who may send requests',
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

  async identify(ask: HttpRequest, answers: CallerAnswers): Promise<Caller | HttpResponse> {
    if (this.#verify === undefined) return ANYBODY;
    const challenge = (params: Readonly<Record<string, string>>) => challengeOf(params, answers);
    const token = tokenOf(ask);
    if (token === undefined) {
      return refuse(401, 'This server needs a token, as Authorization: Bearer <token>', challenge({}));
    }
    const caller = await verified(this.#verify, { token, ask }, answers);
    if (caller instanceof HttpResponse) return caller;
    if (caller === undefined) return notValid(answers);
    if (!isTokenRefusal(caller)) return caller;
    const scope = caller.requiredScopes.join(' ');
    return refuse(
      403,
      `The request needs a token with the scopes ${scope}`,
      challenge({ error: 'insufficient_scope', scope }),
    );
  }

  /**
   * Rechecks the token of open streams and calls. `undefined` if the token cannot change.
   *
   * @param isServed - True while the caller still has the same rights.
   */
  lease(
    ask: HttpRequest,
    { caller, isServed, answers, ...options }: LeaseTerms & { readonly answers: CallerAnswers },
  ): TokenLease | undefined {
    const verify = this.#verify;
    if (verify === undefined || this.hasOneCaller) return undefined;
    const token = tokenOf(ask);
    if (token === undefined) return undefined;
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

interface LeaseTerms extends Pick<LeaseOptions, 'lasts' | 'onRevoked'> {
  readonly caller: Caller;
  readonly isServed: (caller: Caller) => boolean;
}

/** The message omits the value: a malformed token is often nearly a real one. */
function tokenFault(token: unknown): string | undefined {
  const isToken = typeof token === 'string' && TOKEN_TEXT.test(token) && token.length >= MIN_TOKEN_LENGTH;
  return isToken ? undefined : `a text of at least ${MIN_TOKEN_LENGTH} characters, visible ASCII with no space`;
}

function tokenOf(ask: HttpRequest): string | undefined {
  return ask.header('authorization')?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1];
}

function notValid(answers: CallerAnswers): HttpResponse {
  return refuse(401, 'The token is invalid or has expired', challengeOf({ error: 'invalid_token' }, answers));
}

function isSame(before: Caller & { readonly role?: unknown }, now: Caller & { readonly role?: unknown }): boolean {
  return before.id === now.id && before.role === now.role;
}

async function verified(
  verify: Verify,
  { token, ask }: { readonly token: string; readonly ask: HttpRequest },
  { onError }: CallerAnswers,
): Promise<Verified | HttpResponse> {
  try {
    const caller = await verify(token, ask);
    if (caller === undefined || isTokenRefusal(caller)) return caller;
    if (typeof caller.id === 'string' && caller.id !== '') return caller;
    throw new TypeError('verifyToken returned a caller without an id');
  } catch (error) {
    // Only operators learn the reason, which may reveal a directory, its address and its keys.
    onError?.(error instanceof Error ? error : new Error(String(error)));
    return refuse(503, 'The server cannot identify the caller now; try again later', { 'retry-after': '10' });
  }
}

/** RFC 6750 and RFC 9728. */
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
