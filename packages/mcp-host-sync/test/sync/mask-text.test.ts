import { describe, expect, test } from 'vitest';
import type { HostServer } from '../../src/index.js';
import { moment, sync } from '../helpers/in-memory-sync.js';

/** The arguments in a plan. */
function shownOf(...args: readonly string[]): readonly string[] {
  const { plan } = sync(moment('cursor-user'), [{ name: 'a', transport: 'stdio', command: 'x', args }]);
  const entry = plan.steps[0]?.diff.split('\n').flatMap((line) => (/^\+[^+]/.test(line) ? [line.slice(1)] : []));
  return JSON.parse(entry?.join('\n') ?? '').args ?? [];
}

describe('a plan hides secrets of a command line', () => {
  test.each([
    [['--env=DB_PASSWORD=hunter2S']],
    [['-e', 'DB_PASSWORD=hunter2S']],
    [['-e', 'MY_TOKENS=hunter2S']],
    [['--password', 'hunter2S']],
    [['--password', 'me: hunter2S']],
    [['-phunter2S']],
    [['-psekritsekrit']],
    [['--api-key=hunter2S']],
    [['--connection', 'Server=x;Password=hunter2S;']],
    [['host=x password=hunter2S sslmode=require']],
    [['pwd:hunter2S']],
    [['--pat', 'hunter2S']],
    [['--pwd', 'hunter2S']],
    [['-u', 'ann:hunter2S']],
    [['--config', '{"token":"hunter2S","x":1}']],
    [['--config', "{'token': 'hunter2S'}"]],
    [['--basic-auth', 'ann:hunter2S']],
    [['X-Api-Key: hunter2S']],
    [['Authorization: Bearer hunter2S']],
    [['--header', 'X-Anything: hunter2S']],
    [['https://e.x/?access=hunter2S']],
    [['https://e.x/#token=hunter2S']],
    [['https://ann:hunter2S@e.x/']],
    [['--key', 'hunter2S']],
    [['ghp_hunter2Shunter2Shunter2Shunter2S']],
  ])('%j', (args) => {
    const shown = shownOf(...args).join(' ');
    expect(shown).not.toMatch(/hunter2S|sekrit/);
    expect(shown).toContain('***');
  });
});

test.each([
  [['-u', 'script.py']],
  [['-p', '8080:80']],
  [['-p8080']],
  [['-print']],
  [['https://auth.example.com:443/x']],
  [['--root', '/srv/data', 'NODE_ENV=production', 'a: b']],
])('a plan shows text that is not secret: %j', (args) => {
  expect(shownOf(...args)).toEqual(args);
});

test('a plan shows references, also in place of a secret', () => {
  expect(shownOf('--auth', `\${X}`, '--header', `X-Api-Key: \${X}`, `X-Api-Key: \${X}`)).toEqual([
    '--auth',
    `\${env:X}`,
    '--header',
    `X-Api-Key: \${env:X}`,
    `X-Api-Key: \${env:X}`,
  ]);
});

test('a plan hides texts with the value of a variable', () => {
  const server: HostServer = {
    name: 'a',
    transport: 'stdio',
    command: 'x',
    args: ['shown', 'team-blue'],
    sensitive: [['args', 1]],
  };
  const added = sync(moment('cursor-user'), [server]);
  expect(added.plan.steps[0]?.diff).toContain('shown');
  const removed = sync(added.after, []);
  for (const { plan } of [added, removed]) expect(JSON.stringify(plan)).not.toContain('team-blue');
});

test('the time to find secrets is linear in the length of the text', () => {
  const repeated = ['token=', 'token:"', '?a', '://', 'a.', "x='", 'a:{', '-p', ' ', ':'];
  expect(shownOf(...repeated.map((piece) => piece.repeat(20_000)))).toHaveLength(repeated.length);
});

test('a plan shows a directory in the environment that its command shows, too, and hides all other values', () => {
  const server: HostServer = {
    name: 'a',
    transport: 'stdio',
    command: '/home/me/shop/.venv/bin/python',
    args: ['--root', '/srv/data'],
    env: { ROOT: '/home/me/shop', DATA: '/srv/data', PART: '/home/me/sh', OTHER: '/home/you/shop', KEY: 'hunter2S' },
  };
  const { plan } = sync(moment('cursor-user'), [server]);
  const entry = plan.steps[0]?.diff.split('\n').flatMap((line) => (/^\+[^+]/.test(line) ? [line.slice(1)] : []));
  expect(JSON.parse(entry?.join('\n') ?? '').env).toEqual({
    ROOT: '/home/me/shop',
    DATA: '/srv/data',
    PART: '***',
    OTHER: '***',
    KEY: '***',
  });
});

test('a plan hides a directory that is the value of a variable', () => {
  const server: HostServer = {
    name: 'a',
    transport: 'stdio',
    command: '/srv/secret/run',
    args: [],
    env: { ROOT: '/srv/secret' },
    sensitive: [['env', 'ROOT']],
  };
  const { plan } = sync(moment('cursor-user'), [server]);
  expect(plan.steps[0]?.diff).toContain('"ROOT": "***"');
});
