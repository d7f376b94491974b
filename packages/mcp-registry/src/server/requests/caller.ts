import { createTokenVerifier } from '../../identity/static-tokens.js';
import { isTokenRefusal, type TokenRefusal } from '../../identity/token-refusal.js';
import { HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** Who sends a request. May have further fields, which the function that chooses a view is given as they are. */
export interface Caller {
  /** The same for all requests of one caller: a session belongs to whoever has opened it. */
  readonly id: string;
}

type Verified<Who extends Caller> = Who | TokenRefusal | undefined;

/** One of the first three has to be given: what is reachable over HTTP is reachable for every program of the machine. */
export interface CallerOptions<Who extends Caller = Caller> {
  /** The one token that requests have to bring, as `Authorization: Bearer <token>`. At least 16 characters. */
  readonly token?: string | undefined;
  /**
   * Says whose token that is; `undefined` if nobody's, or not any more. Asked for each request. `createTokenVerifier` and
   * `createJwtVerifier` of `@x/mcp-registry/identity` make such functions. What it throws ends the request with 503 and
   * is told to `onError`.
   */
  readonly verifyToken?: ((token: string, request: Request) => Verified<Who> | Promise<Verified<Who>>) | undefined;
  /** Serves requests that bring no token. For servers behind something that checks who asks. */
  readonly allowAnonymous?: true | undefined;
}

const ANYBODY: Caller = { id: 'anybody' };
const MIN_TOKEN_LENGTH = 16;
const TOKEN = /^[\x21-\x7e]+$/;

type Verify = (token: string, ask: HttpAsk) => Verified<Caller> | Promise<Verified<Caller>>;

/** How requests are answered that are not let in. */
export interface CallerAnswers {
  /** Where clients learn how to get a token (RFC 9728). */
  readonly metadataUrl: string | undefined;
  readonly onError: ((error: Error) => void) | undefined;
}

/** Finds out who sends a request. */
export class CallerCheck {
  readonly #verify: Verify | undefined;
  readonly #hasOneCaller: boolean;

  /** @throws {TypeError} if it is not said who may send requests, or is said in two ways. */
  constructor({ token, verifyToken, allowAnonymous }: CallerOptions) {
    const given = [token, verifyToken, allowAnonymous].filter((option) => option !== undefined);
    if (given.length !== 1 || (allowAnonymous !== undefined && allowAnonymous !== true)) {
      throw new TypeError(
        'One of token, verifyToken and allowAnonymous: true must be given, so that it is said who may send requests',
      );
    }
    if (verifyToken !== undefined && typeof verifyToken !== 'function') {
      throw new TypeError('verifyToken must be a function');
    }
    if (token !== undefined && !(typeof token === 'string' && TOKEN.test(token) && token.length >= MIN_TOKEN_LENGTH)) {
      throw new TypeError(
        `token must be a text of at least ${MIN_TOKEN_LENGTH} characters, visible ASCII with no space`,
      );
    }
    this.#hasOneCaller = verifyToken === undefined;
    this.#verify =
      token === undefined
        ? verifyToken && ((given, ask) => verifyToken(given, ask.toRequest()))
        : createTokenVerifier([{ token, id: 'token' }]);
  }

  get isOpen(): boolean {
    return this.#verify === undefined;
  }

  /** Then nobody else is there to be kept from anything. */
  get hasOneCaller(): boolean {
    return this.#hasOneCaller;
  }

  /** @returns Who asks, or the answer to somebody who may not. */
  async identify(ask: HttpAsk, answers: CallerAnswers): Promise<Caller | HttpAnswer> {
    if (this.#verify === undefined) return ANYBODY;
    const challenge = (params: Readonly<Record<string, string>>) => challengeOf(params, answers);
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(ask.header('authorization') ?? '')?.[1];
    if (token === undefined) {
      return refuse(401, 'This server needs a token, as Authorization: Bearer <token>', challenge({}));
    }
    const caller = await verified(this.#verify, { token, ask }, answers);
    if (caller instanceof HttpAnswer) return caller;
    if (caller === undefined) {
      return refuse(401, 'The token is not valid here, or not any more', challenge({ error: 'invalid_token' }));
    }
    if (!isTokenRefusal(caller)) return caller;
    const scope = caller.requiredScopes.join(' ');
    return refuse(403, `This needs a token with ${scope}`, challenge({ error: 'insufficient_scope', scope }));
  }
}

async function verified(
  verify: Verify,
  { token, ask }: { readonly token: string; readonly ask: HttpAsk },
  { onError }: CallerAnswers,
): Promise<Verified<Caller> | HttpAnswer> {
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
  return { 'www-authenticate': ['Bearer', listed.join(', ')].filter((part) => part !== '').join(' ') };
}

function quoted(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, ' ').replace(/["\\]/g, '\\$&');
}
