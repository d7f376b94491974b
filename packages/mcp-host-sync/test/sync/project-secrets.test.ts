import { describe, expect, test } from 'vitest';
import { type HostServer, planSync } from '../../src/index.js';
import { moment, sync, typesOf } from '../helpers/in-memory-sync.js';

const stdio = { name: 'a', transport: 'stdio', command: 'npx' } as const;
const http = { name: 'a', transport: 'http', url: 'https://example.com/mcp' } as const;
const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

describe('a literal secret', () => {
  test.each<[string, HostServer]>([
    ['env.API_KEY', { ...stdio, env: { API_KEY: 'hunter22hunter' } }],
    ['env.X', { ...stdio, env: { X: token } }],
    ['env.DB_URL', { ...stdio, env: { DB_URL: 'postgres://ann:hunter22@db/app' } }],
    ['args[1]', { ...stdio, args: ['--token', 'hunter22hunter'] }],
    ['args[0]', { ...stdio, args: [`--api-key=${token}`] }],
    ['command', { ...stdio, command: `/bin/x-${token}` }],
    ['headers.Authorization', { ...http, headers: { Authorization: 'Bearer hunter22hunter' } }],
    ['url', { ...http, url: 'https://example.com/?api_key=hunter22hunter' }],
    ['env.TEAM', { ...stdio, env: { TEAM: 'hunter22' }, sensitive: [['env', 'TEAM']] }],
    ['args[0]', { ...stdio, args: ['hunter22'], sensitive: [['args', 0]] }],
    ['url', { ...http, url: 'https://example.com/hunter22', sensitive: [['url']] }],
  ])('in %s keeps the server out of a project file', (place, server) => {
    const { plan, after } = sync(moment('cursor-project'), [server, { ...stdio, name: 'b' }]);
    expect(typesOf(plan)).toEqual(['add b']);
    expect(plan.issues).toMatchObject([{ code: 'secret-in-project-file', severity: 'error', server: 'a' }]);
    const message = `This file is visible to all members of the project and would contain a literal secret in ${place}`;
    expect(plan.issues[0]?.message).toBe(message);
    expect(after.text).not.toMatch(/hunter22|ghp_/);
    expect(JSON.stringify(plan)).not.toMatch(/hunter22|ghp_/);

    expect(typesOf(sync(moment('cursor-project'), [server], { projectSecrets: 'write' }).plan)).toEqual(['add a']);
    expect(typesOf(sync(moment('cursor-user'), [server]).plan)).toEqual(['add a']);
    expect(typesOf(sync(moment('claude-code-local'), [server]).plan)).toEqual(['add a']);
  });

  test('leaves an existing entry unchanged', () => {
    const { after } = sync(moment('cursor-project'), [stdio]);
    const { plan } = sync(after, [{ ...stdio, env: { API_KEY: 'hunter22hunter' } }]);
    expect(plan.files).toEqual([]);
    expect(typesOf(plan)).toEqual([]);
  });
});

test.each<[string, HostServer]>([
  ['a reference', { ...stdio, env: { API_KEY: `\${API_KEY}` }, args: ['--token', `\${env:TOKEN}`] }],
  ['a stand-in', { ...stdio, env: { API_KEY: '<your key>' } }],
  ['something else', { ...stdio, env: { NODE_ENV: 'production' }, args: ['--max-tokens', '100000'] }],
  ['a setting', { ...stdio, env: { CSRF_TOKEN: 'off', MAX_TOKEN: '4096' }, args: ['--credentials', 'keys.json'] }],
])('does not include %s', (_, server) => {
  expect(sync(moment('cursor-project'), [server]).plan.issues).toEqual([]);
});

test('rejects an invalid option', () => {
  expect(() => planSync({ ours: [], theirs: [], projectSecrets: true as never })).toThrow(
    new TypeError('projectSecrets must be one of "refuse", "write", got true'),
  );
});
