import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/command.js';
import { parseTokens, readTokensFile } from '../../src/serving/tokens-file.js';
import { project } from '../helpers/project.js';

const sha256 = 'ab'.repeat(32);

async function read(text: string, mode = 0o600) {
  await using here = await project({});
  const path = join(here.folder, 'tokens.yaml');
  await writeFile(path, text, { mode });
  return await readTokensFile(path);
}

test('YAML and JSON are equivalent', async () => {
  const entries = [
    { id: 'ci', role: 'review', sha256 },
    { id: 'alice', token: '0123456789abcdef' },
  ];
  expect(await read(JSON.stringify({ tokens: entries }))).toEqual(entries);
  const yaml = `
tokens:
  - { id: ci, role: review, sha256: ${sha256.toUpperCase()} } # the build
  - id: alice
    token: 0123456789abcdef
`;
  expect(await read(yaml)).toEqual(entries);
});

test.each([
  ['', 'no list of tokens'],
  ['[]', 'no list of tokens'],
  ['tokens: []', 'no list of tokens'],
  ['tokens: [ci]', 'entry 1: it must have an id'],
  ['tokens: [{ token: 0123456789abcdef }]', 'entry 1: id must be a string'],
  ['tokens: [{ id: ci }]', 'entry 1: it must have either a token or its sha256'],
  [`tokens: [{ id: ci, token: 0123456789abcdef, sha256: ${sha256} }]`, 'either a token or its sha256'],
  ['tokens: [{ id: ci, token: short }]', 'token must be 16 or more'],
  ['tokens: [{ id: ci, sha256: abc }]', 'sha256 must be 64'],
  [`tokens: [{ id: ci, sha256: ${sha256}, roles: [a] }]`, 'no keys but id, role, token and sha256'],
  [`tokens: [{ id: ci, sha256: ${sha256}, role: 3 }]`, 'role must be a string'],
  [`tokens: [{ id: ci, sha256: ${sha256} }, { id: ci, sha256: ${sha256} }]`, 'several entries have the id "ci"'],
  ['tokens: [', 'neither YAML'],
  ['tokens: &all [*all]', 'without aliases'],
])('%j is refused', async (text, reason) => {
  await expect(read(text)).rejects.toMatchObject({
    details: expect.arrayContaining([expect.stringContaining(reason)]),
  });
});

test('a file of excessive depth is refused like any other', async () => {
  await expect(read(`tokens: ${'['.repeat(50_000)}`)).rejects.toBeInstanceOf(UsageError);
});

test.runIf(process.platform !== 'win32')('a file that others can read is refused', async () => {
  await expect(read(`tokens: [{ id: ci, sha256: ${sha256} }]`, 0o644)).rejects.toThrow('mode 644');
});

test('messages do not contain values', async () => {
  const secret = 'do-not-show-this-token';
  for (const text of [
    `tokens: [{ id: ci, tokne: ${secret} }]`,
    `tokens: [{ ${secret}: [ }`,
    `tokens: [{ token: "${secret} x" }]`,
  ]) {
    const error = await read(text).catch((thrown: UsageError) => thrown);
    expect(JSON.stringify([(error as UsageError).message, error])).not.toContain(secret);
  }
});

test('any value is a list of tokens or is refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const given of [value, { tokens: value }, { tokens: [value] }]) {
        try {
          expect(parseTokens(given, 'file').length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }
    }),
  );
});
