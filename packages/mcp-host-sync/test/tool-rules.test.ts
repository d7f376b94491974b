import { describe, expect, test } from 'vitest';
import { readHost } from '../src/index.js';
import { restrictsServer } from '../src/tool-rules.js';
import { temporaryMachine } from './helpers/temporary-machine.js';

describe('rules of a host restrict a server if a pattern can match its tools', () => {
  test.each([
    ['git', { git_push: false }],
    ['git', { git_push: 'deny' }],
    ['git', { git_push: 'ask' }],
    ['git', { 'git_*': 'deny' }],
    ['git', { 'git*': false }],
    ['git', { git: false }],
    ['git', { '*': 'deny' }],
    ['git', { '**': 'deny' }],
    ['git', { '*_push': 'deny' }],
    ['git', { 'g?t_push': 'deny' }],
    ['git', { git_push: { '*': 'allow', main: 'deny' } }],
    ['my.git', { my_git_push: 'deny' }],
  ])('%s: %j', (server, rules) => {
    expect(restrictsServer(new Map(Object.entries(rules)), server)).toBe(true);
  });

  test.each([
    ['git', {}],
    ['git', { git_push: true, 'git_*': 'allow' }],
    ['git', { git_push: { '*': 'allow' } }],
    ['git', { edit: 'deny', 'github_*': false, gi: false, 'gi?': 'deny', git2_push: 'deny' }],
  ])('%s: not %j', (server, rules) => {
    expect(restrictsServer(new Map(Object.entries(rules)), server)).toBe(false);
  });

  test('treats a run of stars as one star', () => {
    const rules = new Map([[`${'*'.repeat(1_000_000)}x`, false]]);
    expect(restrictsServer(rules, 'git')).toBe(true);
  });
});

const servers = { git: { type: 'local', command: ['git-mcp'] }, files: { type: 'local', command: ['files-mcp'] } };

test.each([
  ['opencode-user', 'home/.config/opencode/opencode.json', { mcp: servers }],
  ['opencode-user', 'home/.config/opencode/opencode.json', { mcp: { servers } }],
  ['kilo-user', 'home/.config/kilo/kilo.json', { mcp: servers }],
])('%s: reports restrictions elsewhere in the file', async (host, path, document) => {
  const machine = await temporaryMachine();
  const rules = { tools: { git_push: false }, permission: { edit: 'ask', 'files_*': 'ask', git_push: 'allow' } };
  const place = { ...machine.place, platform: process.platform === 'win32' ? ('win32' as const) : ('linux' as const) };
  const file = await machine.file(path, JSON.stringify({ ...document, ...rules }));
  const reading = await readHost(host, place);
  expect(reading.servers.map(({ name }) => name)).toEqual(['git', 'files']);
  expect(reading.issues).toMatchObject([
    { code: 'field-not-supported', severity: 'warning', server: 'git', file },
    { code: 'field-not-supported', severity: 'warning', server: 'files', file },
  ]);
  expect(reading.issues.map(({ message }) => /"\w+"/.exec(message)?.[0])).toEqual(['"tools"', '"permission"']);
});

test('a single permission for all actions does not restrict a server', async () => {
  const { place, file } = await temporaryMachine();
  await file('app/opencode.json', JSON.stringify({ mcp: servers, permission: 'ask' }));
  expect(await readHost('opencode-project', place)).toMatchObject({ servers: [{}, {}], issues: [] });
});
