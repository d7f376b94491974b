import { optionTable } from '@x/internal/options';
import { describe, expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/identity.js';
import { fromFetchRequest } from '../../../src/server/http-messages.js';
import { CallerCheck, type CallerOptions, callerRows } from '../../../src/server/requests/caller.js';

const TOKEN = 'the-token-of-alice';
const callerOptions = optionTable<CallerOptions>()(callerRows);
const METADATA = 'https://tools.example.com/.well-known/oauth-protected-resource';

const askWith = (authorization?: string) =>
  fromFetchRequest(
    new Request('http://localhost/mcp', { headers: authorization === undefined ? {} : { authorization } }),
  );

/** The caller, or the parts of the refusal. */
async function identified(options: CallerOptions, authorization: string | undefined, answers: object = {}) {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const who = await new CallerCheck(callerOptions.read(options)).identify(askWith(authorization), {
    metadataUrl: undefined,
    onError,
    ...answers,
  });
  if ('id' in who) return who;
  const { error } = JSON.parse(String(who.body)) as { readonly error: { readonly message: string } };
  const { 'www-authenticate': challenge, 'retry-after': retryAfter } = who.headers;
  return { status: who.status, message: error.message, challenge, retryAfter, errors };
}

describe('options', () => {
  const oneOf =
    'Exactly one of token, verifyToken and allowAnonymous: true must be given, which decides who may send requests';
  const noToken = 'token must be a text of at least 16 characters, visible ASCII with no space';
  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{}, oneOf],
    [{ token: TOKEN, allowAnonymous: true }, oneOf],
    [{ token: TOKEN, verifyToken: () => undefined }, oneOf],
    [{ allowAnonymous: false }, oneOf],
    [{ allowAnonymous: 'yes' }, oneOf],
    [{ verifyToken: TOKEN }, 'verifyToken must be a function, got string'],
    [{ token: 'x'.repeat(15) }, noToken],
    [{ token: `${TOKEN} ` }, noToken],
    [{ token: 'the-token-of-älice' }, noToken],
    [{ token: null }, noToken],
    [{ token: Array(16).fill('a') }, noToken],
  ])('refuses %j', (options, message) => {
    expect(() => new CallerCheck(callerOptions.read(options))).toThrow(new TypeError(message));
  });

  test.each<[string, CallerOptions, object]>([
    ['anybody', { allowAnonymous: true }, { isOpen: true, hasOneCaller: true, known: [{ id: 'anybody' }] }],
    ['one token', { token: 'x'.repeat(16) }, { isOpen: false, hasOneCaller: true, known: [{ id: 'token' }] }],
    [
      'tokens that are listed',
      { verifyToken: createTokenVerifier([{ token: TOKEN, id: 'alice' }]) },
      { isOpen: false, hasOneCaller: false, known: [{ id: 'alice' }] },
    ],
    ['a function', { verifyToken: () => undefined }, { isOpen: false, hasOneCaller: false, known: [] }],
  ])('accepts %s', (_what, options, expected) => {
    const { isOpen, hasOneCaller, known } = new CallerCheck(callerOptions.read(options));
    expect({ isOpen, hasOneCaller, known }).toEqual(expected);
  });
});

describe('a request', () => {
  const tokens = { verifyToken: createTokenVerifier([{ token: TOKEN, id: 'alice', team: 'a' }]) };

  test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `Bearer   ${TOKEN}`, `Bearer ${TOKEN}  `])(
    'with %j belongs to its owner',
    async (authorization) => {
      expect(await identified(tokens, authorization)).toEqual({ id: 'alice', team: 'a' });
      expect(await identified({ token: TOKEN }, authorization)).toEqual({ id: 'token' });
    },
  );

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer${TOKEN}`,
    `Basic ${TOKEN}`,
    `x Bearer ${TOKEN}`,
    `Bearer ${TOKEN} x`,
    TOKEN,
  ])('with %j has no token', async (authorization) => {
    const refused = { status: 401, message: 'This server needs a token, as Authorization: Bearer <token>' };
    expect(await identified(tokens, authorization)).toMatchObject({ ...refused, challenge: 'Bearer' });
    const told = await identified(tokens, authorization, { metadataUrl: METADATA });
    expect(told).toMatchObject({ ...refused, challenge: `Bearer resource_metadata="${METADATA}"` });
    expect(await identified({ allowAnonymous: true }, authorization)).toEqual({ id: 'anybody' });
  });

  test('with an unknown token gets an error', async () => {
    expect(await identified(tokens, 'Bearer a-token-of-nobody')).toMatchObject({
      status: 401,
      message: 'The token is invalid or has expired',
      challenge: 'Bearer error="invalid_token"',
    });
  });

  test('with too few scopes gets the missing ones in a header', async () => {
    const requiredScopes = ['tools:read', 'a"b\\c', 'größe\n'];
    const verifyToken = () => ({ refused: 'insufficient-scope', requiredScopes }) as const;
    expect(await identified({ verifyToken }, `Bearer ${TOKEN}`)).toMatchObject({
      status: 403,
      message: 'The request needs a token with the scopes tools:read a"b\\c größe\n',
      challenge: 'Bearer error="insufficient_scope", scope="tools:read a\\"b\\\\c gr  e "',
    });
  });

  test('reaches verifyToken', async () => {
    const verifyToken = (token: string, { url }: Request) => ({ id: `${token} at ${url}` });
    const id = `${TOKEN} at http://localhost/mcp`;
    expect(await identified({ verifyToken }, `Bearer ${TOKEN}`)).toEqual({ id });
  });
});

describe('if the caller cannot be identified', () => {
  const unavailable = { status: 503, message: 'The server cannot identify the caller now; try again later' };
  const failing: readonly (readonly [string, () => unknown, Error])[] = [
    ['the function throws', () => Promise.reject(new Error('no directory')), new Error('no directory')],
    ['it throws what is no error', () => Promise.reject('no directory'), new Error('no directory')],
    ['it gives no id', () => ({}), new TypeError('verifyToken returned a caller without an id')],
    ['it gives an empty id', () => ({ id: '' }), new TypeError('verifyToken returned a caller without an id')],
    ['it gives an id that is no text', () => ({ id: 7 }), new TypeError('verifyToken returned a caller without an id')],
  ];
  test.each(failing)('because %s, the client may retry, and the operator gets the reason', async (_, verify, error) => {
    const options = { verifyToken: verify as never };
    const answer = await identified(options, `Bearer ${TOKEN}`);
    expect(answer).toEqual({ ...unavailable, challenge: undefined, retryAfter: '10', errors: [error] });
    expect(await identified(options, `Bearer ${TOKEN}`, { onError: undefined })).toMatchObject(unavailable);
  });
});

describe('does not recheck open streams and calls', () => {
  const terms = {
    caller: { id: 'alice' },
    isServed: () => true,
    lasts: true,
    onRevoked: () => {},
    answers: { metadataUrl: undefined, onError: undefined },
  };
  test.each<[string, CallerOptions, string | undefined]>([
    ['anybody may ask', { allowAnonymous: true }, `Bearer ${TOKEN}`],
    ['there is one token for all', { token: TOKEN }, `Bearer ${TOKEN}`],
    ['there is no token', { verifyToken: () => undefined }, undefined],
  ])('with %s', (_what, options, authorization) => {
    expect(new CallerCheck(callerOptions.read(options)).lease(askWith(authorization), terms)).toBeUndefined();
  });
});
