import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrust, trustPlace, writeTrust } from '../src/trust-file.js';
import { project } from './helpers/project.js';

test('what is kept is read again, and nothing kept trusts all', async () => {
  await using here = await project({ 'mcp_servers.yaml': '' });
  const place = trustPlace(here.folder, [join(here.folder, 'mcp_servers.yaml')]);
  expect(await readTrust(place)).toEqual({ default: 'all', servers: {} });
  const trust = { default: 'approve', servers: { own: 'all', web: 'pin-on-first-use' } } as const;
  await writeTrust(place, trust);
  expect(await readTrust(place)).toEqual(trust);
});

test('the place is that of the first file, whatever links led there', async () => {
  await using here = await project({ 'a/mcp_servers.yaml': '', 'b/mcp_servers.yaml': '' });
  const [a, b] = ['a', 'b'].map((name) => join(here.folder, name, 'mcp_servers.yaml'));
  await symlink('a', join(here.folder, 'link'));
  const link = join(here.folder, 'link', 'mcp_servers.yaml');
  expect(trustPlace('/state', [link, 'x'])).toEqual(trustPlace('/state', [a ?? '']));
  expect(trustPlace('/state', [b ?? ''])).not.toEqual(trustPlace('/state', [a ?? '']));
});

test('without a state directory there is no place, everything is trusted and nothing can be decided', async () => {
  expect(trustPlace(undefined, ['/x'])).toBeUndefined();
  expect(await readTrust(undefined)).toEqual({ default: 'all', servers: {} });
  await expect(writeTrust(undefined, { default: 'all', servers: {} })).rejects.toMatchObject({ exitCode: 2 });
});

test('a decision that cannot be kept is refused with the place', async () => {
  await using here = await project({ file: '' });
  const place = trustPlace(join(here.folder, 'file'), ['/x']);
  await expect(writeTrust(place, { default: 'approve', servers: {} })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^What to trust cannot be kept in .*modes\.json: (ENOTDIR|EEXIST)\.$/),
    hint: expect.stringContaining('Nothing has changed'),
  });
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"default":"all"}',
  '{"default":"any","servers":{}}',
  '{"default":"all","servers":{"a":1}}',
])('a file with %j in it trusts nothing and is told of', async (text) => {
  await using here = await project({});
  const place = trustPlace(here.folder, ['/x']);
  await writeTrust(place, { default: 'all', servers: {} });
  await writeFile(place?.trustFile ?? '', text);
  await expect(readTrust(place)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('modes.json') });
});
