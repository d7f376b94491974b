// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of a config
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type AddKind, addLine, type Typed } from '../../dashboard/src/config/add-line.js';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const place = { known: new Set(['taken']), hasConfig: true };
const lineOf = (kind: AddKind, typed: Typed) => addLine(kind, typed, place).line;
const faultsOf = (kind: AddKind, typed: Typed) => Object.fromEntries(addLine(kind, typed, place).faults);

/** The words that a shell makes of a line. */
function wordsOf(line: string | undefined): readonly string[] {
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const printed = execFileSync('/bin/sh', ['-c', `"$0" -e '${program}' -- ${line}`, process.execPath]);
  return JSON.parse(printed.toString());
}

test('composes the line of a command and of an address', () => {
  expect(lineOf('command', { name: 'files', command: 'npx -y @scope/files-mcp .' })).toBe(
    'mcpx add files -- npx -y @scope/files-mcp .',
  );
  expect(lineOf('url', { name: 'docs', url: 'https://example.com/mcp?a=1&b=2', scope: 'user' })).toBe(
    "mcpx add docs --scope user 'https://example.com/mcp?a=1&b=2'",
  );
  expect(lineOf('command', { name: 'x' })).toBeUndefined();
  expect(lineOf('url', { url: 'https://example.com' })).toBeUndefined();
});

test('names the config of a daemon that was started with one', () => {
  const named = { ...place, configFile: "/it's here/mcp.yaml" };
  const { line } = addLine('url', { name: 'docs', url: 'https://example.com/mcp', scope: 'user' }, named);
  expect(wordsOf(line)).toEqual(['mcpx', 'add', 'docs', '--config', "/it's here/mcp.yaml", 'https://example.com/mcp']);
});

test('a shell gives mcpx exactly what was typed, and expands nothing', () => {
  const name = 'it\'s $(touch owned) `x` "q" ; rm';
  const command = 'node "a b.js" $HOME ${TOKEN} && sh';
  const typed = { name, command, env: ['API_TOKEN', "MODE=a 'b' $(c)"], cwd: '/some where' };
  expect(wordsOf(lineOf('command', typed))).toEqual([
    'mcpx',
    'add',
    name,
    ...['--env', 'API_TOKEN', '--env', "MODE=a 'b' $(c)", '--cwd', '/some where', '--', command],
  ]);
  const headers = ['Authorization: Bearer ${DOCS_TOKEN}'];
  expect(wordsOf(lineOf('url', { name: 'docs', url: 'https://example.com/mcp', headers }))).toEqual([
    ...['mcpx', 'add', 'docs', 'https://example.com/mcp', '--header', headers[0]],
  ]);
});

test.each([
  ['command', { command: `files --token ${token}` }, '/command'],
  ['command', { command: `files --api-key=${token.slice(4)}` }, '/command'],
  ['command', { command: 'files', env: [`GITHUB_TOKEN=${token}`] }, '/env/0'],
  ['command', { command: 'files', env: ['MODE=fast', 'PASSWORD=correct-horse'] }, '/env/1'],
  ['url', { url: 'https://example.com/mcp', headers: [`Authorization: Bearer ${token}`] }, '/headers/0'],
  ['url', { url: 'https://ada:correct-horse@example.com/mcp' }, '/url'],
  ['url', { url: `https://example.com/mcp?api_key=${token}` }, '/url'],
] as const)('a secret is in no line: %s %j', (kind, typed, pointer) => {
  const { faults, line } = addLine(kind, { name: 'files', ...typed }, place);
  expect(line).toBeUndefined();
  expect([...faults.keys()]).toEqual([pointer]);
  expect(faults.get(pointer)).toMatch(/secret/i);
  expect(faults.get(pointer)).not.toContain(token);
});

test('says what is wrong beside the field', () => {
  expect(faultsOf('command', { name: '-x', command: 'https://example.com' })).toEqual({
    '/name': expect.stringContaining('begins with “-”'),
    '/command': expect.stringContaining('Choose “URL”'),
  });
  expect(faultsOf('command', { name: 'taken', command: 'a\u202Eb', env: ['a b', ''], cwd: 'x\ny' })).toEqual({
    '/name': expect.stringContaining('There is a server of this name'),
    '/command': expect.stringContaining('do not show'),
    '/env/0': expect.stringContaining('letters, digits'),
    '/env/1': expect.stringContaining('NAME=value'),
    '/cwd': expect.stringContaining('do not show'),
  });
  expect(faultsOf('url', { name: 'x', url: 'ftp://example.com', headers: ['no colon'] })).toEqual({
    '/url': expect.stringContaining('https://'),
    '/headers/0': expect.stringContaining('Name: value'),
  });
});

test('takes servers of apps along', () => {
  expect(lineOf('app', {})).toBe('mcpx import');
  expect(lineOf('app', { app: 'cursor' })).toBe('mcpx import cursor');
  expect(addLine('app', { app: 'cursor' }, { ...place, hasConfig: false }).line).toBe('mcpx init --from cursor');
  expect(lineOf('app', { app: 'cursor', server: 'git hub' })).toBe("mcpx add 'git hub' --from cursor");
  expect(faultsOf('app', { app: 'cursor; rm', server: 'taken' })).toEqual({
    '/app': expect.stringContaining('name of an app'),
    '/server': expect.stringContaining('There is a server of this name'),
  });
});
