import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { optionTable, refuseUnknownKeys, requireObject } from '@x/internal/options';

/** A token and its caller. Further fields become fields of the caller. */
export interface StaticToken {
  /** The token as in `Authorization: Bearer <token>`: at least 16 characters. Excludes `tokenSha256`. */
  readonly token?: string | undefined;
  /** SHA-256 of the token in hexadecimal digits, which keeps the token out of the configuration. */
  readonly tokenSha256?: string | undefined;
  /** The caller's id. Several tokens may share it. */
  readonly id: string;
  /** The caller's role. Default: none. */
  readonly role?: string | undefined;
}

/** Options of a token verifier. */
export interface TokenVerifierOptions {
  /** `required`: an entry without a role is a `TypeError`, and every caller's type has a role. Default `optional`. */
  readonly roles?: 'optional' | 'required' | undefined;
}

const verifierOptions = optionTable<TokenVerifierOptions>()({
  roles: { kind: 'word', words: ['optional', 'required'], default: 'optional' },
});

/** A caller: its entry without the token. */
export type TokenOwner<Entry extends StaticToken> = Omit<Entry, 'token' | 'tokenSha256'>;

/**
 * Returns the caller of a token, or `undefined`.
 *
 * Not an interface: with one, TypeScript would infer the caller too late for arguments to the left, such as the
 * `viewOf` of `createRegistryHandler`.
 */
export type TokenVerifier<Owner> = ((token: string) => Owner | undefined) & {
  /** One caller per entry, in order. */
  readonly owners: readonly Owner[];
};

export const MIN_TOKEN_LENGTH = 16;
/** RFC 9110 5.5: visible ASCII without spaces. */
export const TOKEN_TEXT = /^[\x21-\x7e]+$/;

/**
 * Creates a `verifyToken` for a fixed set of tokens. Compares all digests for each request, so timing reveals nothing.
 *
 * @throws {TypeError} naming the invalid entry by its index: too short, not valid in a header, a duplicate, or without
 * a required role.
 */
export function createTokenVerifier<const Entry extends StaticToken>(
  tokens: readonly Entry[],
  options: TokenVerifierOptions & { readonly roles: 'required' },
): TokenVerifier<TokenOwner<Entry> & { readonly role: string }>;
export function createTokenVerifier<const Entry extends StaticToken>(
  tokens: readonly Entry[],
  options?: TokenVerifierOptions,
): TokenVerifier<TokenOwner<Entry>>;
export function createTokenVerifier<const Entry extends StaticToken>(
  tokens: readonly Entry[],
  options?: TokenVerifierOptions,
): TokenVerifier<TokenOwner<Entry>> {
  const { roles } = verifierOptions.read(options);
  if (!Array.isArray(tokens) || tokens.length === 0) {
    throw new TypeError('tokens must be a list of { token, id }, with at least one entry');
  }
  const known = tokens.map((entry, index) => checkEntry(entry, index, roles));
  refuseTwice(known.map(({ digest }) => bytesToHex(digest)));
  const ownerOf = (token: string) => {
    const given = sha256Of(token);
    let found: TokenOwner<Entry> | undefined;
    for (const { digest, owner } of known) if (isSame(given, digest)) found = owner;
    return found;
  };
  const verifier = Object.assign(ownerOf, { owners: Object.freeze(known.map(({ owner }) => owner)) });
  verifiers.add(verifier);
  return verifier;
}

const verifiers = new WeakSet<object>();

/** Returns all callers of a `createTokenVerifier` function; an empty list for another function. */
export function ownersOf(verify: object): readonly TokenOwner<StaticToken>[] {
  return verifiers.has(verify) ? (verify as TokenVerifier<TokenOwner<StaticToken>>).owners : [];
}

const ENTRY = ['token', 'tokenSha256', 'id', 'role'] as const satisfies readonly (keyof StaticToken)[];

interface Known<Owner> {
  readonly digest: Uint8Array;
  readonly owner: Owner;
}

function checkEntry<Entry extends StaticToken>(
  entry: Entry,
  index: number,
  roles: 'optional' | 'required',
): Known<TokenOwner<Entry>> {
  const place = `tokens[${index}]`;
  requireObject(place, entry, ENTRY);
  refuseUnknownKeys(entry, ENTRY, { where: `${place}.`, others: 'ignored', what: 'field' });
  const { token, tokenSha256, ...owner } = entry;
  if ((token === undefined) === (tokenSha256 === undefined)) {
    throw new TypeError(`${place} must have either token or tokenSha256`);
  }
  if (typeof owner.id !== 'string' || owner.id === '') {
    throw new TypeError(`${place}.id must be a text that is not empty`);
  }
  if (owner.role !== undefined && (typeof owner.role !== 'string' || owner.role === '')) {
    throw new TypeError(`${place}.role must be a text that is not empty${roles === 'required' ? '' : ', or left out'}`);
  }
  if (owner.role === undefined && roles === 'required') {
    throw new TypeError(`${place}.role is missing for "${owner.id}"; with roles: 'required', each entry must have one`);
  }
  const digest = token === undefined ? checkDigest(tokenSha256, place) : sha256Of(checkToken(token, place));
  return { digest, owner: Object.freeze(owner) };
}

// Messages omit the value: a malformed token is often nearly a real one.
function checkToken(token: unknown, place: string): string {
  if (typeof token !== 'string' || token.length < MIN_TOKEN_LENGTH) {
    throw new TypeError(`${place}.token must be a text of at least ${MIN_TOKEN_LENGTH} characters`);
  }
  if (!TOKEN_TEXT.test(token)) {
    throw new TypeError(`${place}.token must consist of visible ASCII characters without spaces, as a header requires`);
  }
  return token;
}

function checkDigest(digest: unknown, place: string): Uint8Array {
  if (typeof digest !== 'string' || !/^[\da-f]{64}$/i.test(digest)) {
    throw new TypeError(`${place}.tokenSha256 must be 64 hexadecimal digits`);
  }
  return hexToBytes(digest);
}

function refuseTwice(digests: readonly string[]): void {
  const first = new Map<string, number>();
  for (const [index, digest] of digests.entries()) {
    const other = first.get(digest);
    if (other !== undefined) throw new TypeError(`tokens[${index}] has the same token as tokens[${other}]`);
    first.set(digest, index);
  }
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.reduce((sum, byte, index) => sum | (byte ^ (right[index] ?? 0)), 0) === 0;
}

/** Returned for a valid token without the required scopes. The client gets 403. */
export interface TokenRefusal {
  readonly refused: 'insufficient-scope';
  readonly requiredScopes: readonly string[];
}

export function isTokenRefusal(value: object): value is TokenRefusal {
  return (value as { readonly refused?: unknown }).refused === 'insufficient-scope';
}
