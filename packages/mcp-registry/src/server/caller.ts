import { refuse } from './http-answers.js';

/** Who sends a request. May have further fields, which the function that chooses a view is given as they are. */
export interface Caller {
  /** The same for all requests of one caller: a session belongs to whoever has opened it. */
  readonly id: string;
}

/** One of the first three has to be given: what is reachable over HTTP is reachable for every program of the machine. */
export interface CallerOptions<Who extends Caller = Caller> {
  /** The one token that requests have to bring, as `Authorization: Bearer <token>`. At least 16 characters. */
  readonly token?: string | undefined;
  /**
   * Says whose token that is; `undefined` if nobody's, or not any more. Asked for each request. What it throws ends the
   * request with 500 and is told to `onError`.
   */
  readonly verifyToken?: ((token: string, request: Request) => Who | undefined | Promise<Who | undefined>) | undefined;
  /** Serves requests that bring no token. For servers behind something that checks who asks. */
  readonly allowAnonymous?: true | undefined;
  /** Where clients learn how to get a token (RFC 9728); told to those who have none. */
  readonly resourceMetadataUrl?: string | undefined;
}

const ANYBODY: Caller = { id: 'anybody' };
const TOKEN_OWNER: Caller = { id: 'token' };
const MIN_TOKEN_LENGTH = 16;

type Verify = (token: string, request: Request) => Caller | undefined | Promise<Caller | undefined>;

/** Finds out who sends a request. */
export class CallerCheck {
  readonly #verify: Verify | undefined;
  readonly #challenge: string;

  /** @throws {TypeError} if it is not said who may send requests, or is said in two ways. */
  constructor({ token, verifyToken, allowAnonymous, resourceMetadataUrl }: CallerOptions) {
    const given = [token, verifyToken, allowAnonymous].filter((option) => option !== undefined);
    if (given.length !== 1 || (allowAnonymous !== undefined && allowAnonymous !== true)) {
      throw new TypeError(
        'One of token, verifyToken and allowAnonymous: true must be given, so that it is said who may send requests',
      );
    }
    if (verifyToken !== undefined && typeof verifyToken !== 'function') {
      throw new TypeError('verifyToken must be a function');
    }
    if (token !== undefined && (typeof token !== 'string' || token.length < MIN_TOKEN_LENGTH)) {
      throw new TypeError(`token must be a text of at least ${MIN_TOKEN_LENGTH} characters`);
    }
    this.#verify = token === undefined ? verifyToken : (given) => isOwner(given, token);
    this.#challenge =
      resourceMetadataUrl === undefined ? 'Bearer' : `Bearer resource_metadata="${new URL(resourceMetadataUrl)}"`;
  }

  get isOpen(): boolean {
    return this.#verify === undefined;
  }

  /** @returns Who asks, or the answer to somebody who may not. */
  async identify(request: Request): Promise<Caller | Response> {
    if (this.#verify === undefined) return ANYBODY;
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return this.#refuse('This server needs a token, as Authorization: Bearer <token>');
    const caller = await this.#verify(token, request);
    if (caller === undefined)
      return this.#refuse('The token is not valid here, or not any more', 'error="invalid_token"');
    if (typeof caller.id !== 'string' || caller.id === '')
      throw new TypeError('verifyToken gave a caller without an id');
    return caller;
  }

  #refuse(message: string, detail?: string): Response {
    const separator = this.#challenge === 'Bearer' ? ' ' : ', ';
    return refuse(401, message, {
      'www-authenticate': detail === undefined ? this.#challenge : `${this.#challenge}${separator}${detail}`,
    });
  }
}

/** Compares digests, so that how long it takes does not tell how much of the token is right. */
async function isOwner(given: string, token: string): Promise<Caller | undefined> {
  const [left, right] = await Promise.all([sha256(given), sha256(token)]);
  const difference = left.reduce((sum, byte, index) => sum | (byte ^ (right[index] ?? 0)), 0);
  return difference === 0 ? TOKEN_OWNER : undefined;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
