import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrustMode } from '@x/mcp-registry/trust';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTrust, trustModes, trustPaths, writeTrust } from '../../src/config/trust-file.js';
import { project } from '../helpers/project.js';

const entries = new Map([
  ['own', 'a1'],
  ['web', 'b1'],
]);

test('stored modes are read again; without a file everything is trusted', async () => {
  await using here = await project({});
  const place = trustPaths(here.folder);
  expect(await readTrust(place, entries)).toEqual({ default: 'all', servers: {} });
  await writeTrust(place, { mode: 'approve' }, entries);
  const trust = await writeTrust(place, { mode: 'pin-on-first-use', servers: ['web'] }, entries);
  expect(trust).toEqual({ default: 'approve', servers: { web: 'pin-on-first-use' } });
  expect(await readTrust(place, entries)).toEqual(trust);
});

test('decisions of several writers at the same moment are all stored', async () => {
  await using here = await project({});
  const place = trustPaths(here.folder);
  const names = Array.from({ length: 8 }, (_, index) => `server-${index}`);
  const all = new Map(names.map((name) => [name, `entry of ${name}`]));
  await Promise.all(names.map((name) => writeTrust(place, { mode: 'approve', servers: [name] }, all)));
  expect(Object.keys((await readTrust(place, all)).servers).toSorted()).toEqual(names);
  expect(await readdir(join(here.folder, 'trust'))).toEqual(['modes.json']);
});

test('the default holds for every config', async () => {
  await using here = await project({});
  const place = trustPaths(here.folder);
  await writeTrust(place, { mode: 'approve' }, entries);
  expect(await readTrust(place, new Map([['other', 'x1']]))).toEqual({ default: 'approve', servers: {} });
});

test('another entry of the same name is trusted no more than existing ones', async () => {
  await using here = await project({});
  const place = trustPaths(here.folder);
  await writeTrust(place, { mode: 'approve', servers: ['own'] }, entries);
  await writeTrust(place, { mode: 'all', servers: ['web'] }, entries);
  const others = new Map([
    ['own', 'a2'],
    ['web', 'b2'],
  ]);
  expect(await readTrust(place, others)).toEqual({ default: 'all', servers: { own: 'approve' } });
  await writeTrust(place, { mode: 'approve' }, entries);
  expect((await readTrust(place, others)).servers.web ?? 'approve').toBe('approve');
});

test('an entry without a decision is never trusted more than the default and its namesakes', async () => {
  const mode = fc.constantFrom(...trustModes);
  const weight = (of: TrustMode): number => trustModes.indexOf(of);
  await fc.assert(
    fc.asyncProperty(
      mode,
      fc.array(fc.tuple(fc.constantFrom('e1', 'e2', 'e3'), mode)),
      async (otherwise, decisions) => {
        await using here = await project({});
        const place = trustPaths(here.folder);
        await writeTrust(place, { mode: otherwise }, new Map());
        for (const [entry, decided] of decisions) {
          await writeTrust(place, { mode: decided, servers: ['s'] }, new Map([['s', entry]]));
        }
        const trust = await readTrust(place, new Map([['s', 'new']]));
        const effective = weight(trust.servers.s ?? trust.default);
        const last = new Map(decisions);
        expect(effective).toBeGreaterThanOrEqual(weight(otherwise));
        for (const decided of last.values()) expect(effective).toBeGreaterThanOrEqual(weight(decided));
      },
    ),
    { numRuns: 60 },
  );
});

test('without a state directory everything is trusted and nothing can be stored', async () => {
  expect(trustPaths(undefined)).toBeUndefined();
  expect(await readTrust(undefined, entries)).toEqual({ default: 'all', servers: {} });
  await expect(writeTrust(undefined, { mode: 'all' }, entries)).rejects.toMatchObject({ exitCode: 2 });
});

test('a decision that cannot be stored is refused with the path', async () => {
  await using here = await project({ trust: '' });
  const place = trustPaths(here.folder);
  await expect(writeTrust(place, { mode: 'approve' }, entries)).rejects.toMatchObject({
    message: expect.stringMatching(/modes\.json: (ENOTDIR|EEXIST)\.$/),
  });
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"default":"all"}',
  '{"default":"any","modes":[]}',
  '{"default":"all","servers":{"a":"all"}}',
  '{"default":"all","modes":[{"server":"a","entry":"x","mode":1}]}',
  '{"default":"all","modes":[null]}',
])('a file with %j in it trusts nothing and is reported', async (text) => {
  await using here = await project({});
  const place = trustPaths(here.folder);
  await writeTrust(place, { mode: 'all' }, entries);
  await writeFile(place?.trustFile ?? '', text);
  await expect(readTrust(place, entries)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('modes.json'),
  });
});
