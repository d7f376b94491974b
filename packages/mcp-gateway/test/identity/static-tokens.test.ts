import { createHash } from 'node:crypto';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { createTokenVerifier, type StaticToken } from '../../src/identity.js';

const ALICE = 'the-token-of-alice';
const BOB = 'the-token-of-bob-1';
const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

test('a token has its caller, with all further fields of the entry', () => {
  const verify = createTokenVerifier([
    { token: ALICE, id: 'alice', role: 'review', team: 'a' },
    { tokenSha256: digestOf(BOB).toUpperCase(), id: 'bob', team: 'b' },
    { token: 'another-token-of-bob', id: 'bob', team: 'b' },
  ]);
  expect(verify(ALICE)).toEqual({ id: 'alice', role: 'review', team: 'a' });
  expect(verify(BOB)).toEqual({ id: 'bob', team: 'b' });
  expect(verify.owners.map(({ id }) => id)).toEqual(['alice', 'bob', 'bob']);
  expect(JSON.stringify(verify.owners)).not.toMatch(/token/i);
  expect(verify('another-token-of-bob')).toEqual({ id: 'bob', team: 'b' });
  expectTypeOf(verify(ALICE)).toExtend<{ readonly id: string; readonly team: string } | undefined>();
});

test.each(['', ALICE.slice(0, -1), `${ALICE}x`, ALICE.toUpperCase(), ` ${ALICE}`, digestOf(ALICE)])(
  'refuses the invalid token %j',
  (token) => {
    expect(createTokenVerifier([{ token: ALICE, id: 'alice' }])(token)).toBeUndefined();
  },
);

test('accepts a token of 16 characters', () => {
  const token = 'x'.repeat(16);
  expect(createTokenVerifier([{ token, id: 'alice' }])(token)).toEqual({ id: 'alice' });
});

test.each([
  ['optional', 'tokens[0].role must be a text that is not empty, or left out'],
  ['required', 'tokens[0].role must be a text that is not empty'],
] as const)('with %s roles, the error says what a role may be', (roles, message) => {
  const entry = { token: ALICE, id: 'alice', role: '' };
  expect(() => createTokenVerifier([entry], { roles } as { roles: 'required' })).toThrow(new TypeError(message));
});

test('with required roles, refuses an entry without one at once', () => {
  const entry = { token: ALICE, id: 'alice', role: 'review' };
  const read: readonly StaticToken[] = [entry, { token: BOB, id: 'bob' }];
  const options = { roles: 'required' } as const;
  expect(() => createTokenVerifier(read, options)).toThrow(
    new TypeError(`tokens[1].role is missing for "bob"; with roles: 'required', each entry must have one`),
  );
  expect(() => createTokenVerifier([{ ...entry, role: undefined }], options)).toThrow('tokens[0].role is missing');
  expect(() => createTokenVerifier([{ ...entry, role: '' }], options)).toThrow('tokens[0].role must be a text');
  expect(createTokenVerifier([entry], options)(ALICE)).toEqual({ id: 'alice', role: 'review' });
  expect(() => createTokenVerifier([entry], { roles: 'require' as 'required' })).toThrow(
    'roles must be one of "optional", "required", got require',
  );
});

describe('refuses an entry by its index, without its token', () => {
  const secret = 'a-secret-with space';
  test.each([
    ['no entry', [], 'tokens must be a list of { token, id }, with at least one entry'],
    ['no token', [{ id: 'a' }], 'tokens[0] must have either token or tokenSha256'],
    ['two tokens', [{ id: 'a', token: ALICE, tokenSha256: digestOf(BOB) }], 'tokens[0] must have either'],
    ['a short token', [{ id: 'a', token: 'short-secret' }], 'tokens[0].token must be a text of at least 16'],
    ['a token that no header can bring', [{ id: 'a', token: secret }], 'tokens[0].token must consist of visible ASCII'],
    ['a token of 15 characters', [{ id: 'a', token: 'x'.repeat(15) }], 'tokens[0].token must be a text of at least 16'],
    ['a token that is no text', [{ id: 'a', token: 5 }], 'tokens[0].token must be a text of at least 16'],
    ['a digest that is no text', [{ id: 'a', tokenSha256: [digestOf(BOB)] }], 'tokens[0].tokenSha256 must be 64'],
    [
      'a digest with more before it',
      [{ id: 'a', tokenSha256: `0${digestOf(BOB)}` }],
      'tokens[0].tokenSha256 must be 64',
    ],
    [
      'a digest with more behind it',
      [{ id: 'a', tokenSha256: `${digestOf(BOB)}0` }],
      'tokens[0].tokenSha256 must be 64',
    ],
    ['an id that is no text', [{ id: 5, token: ALICE }], 'tokens[0].id must be'],
    ['a role that is no text', [{ id: 'a', role: 5, token: ALICE }], 'tokens[0].role must be'],
    ['a digest that is none', [{ id: 'a', tokenSha256: ALICE }], 'tokens[0].tokenSha256 must be 64'],
    ['no id', [{ id: '', token: ALICE }], 'tokens[0].id must be'],
    ['an empty role', [{ id: 'a', role: '', token: ALICE }], 'tokens[0].role must be'],
    [
      'the same token twice',
      [
        { id: 'a', token: ALICE },
        { id: 'b', token: BOB },
        { id: 'c', tokenSha256: digestOf(ALICE) },
      ],
      'tokens[2] has the same token as tokens[0]',
    ],
  ])('%s', (_, tokens, message) => {
    let thrown: unknown;
    try {
      createTokenVerifier(tokens as readonly StaticToken[]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as Error).message).toContain(message);
    for (const { token } of tokens as readonly { token?: unknown }[]) {
      if (typeof token === 'string') expect((thrown as Error).message).not.toContain(token);
    }
  });
});
