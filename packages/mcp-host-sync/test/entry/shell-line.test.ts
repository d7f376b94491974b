import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWord, wordsOfLine } from '../../src/entry/shell-line.js';
import type { HostServer, HostStdioServer } from '../../src/index.js';
import { moment, sync } from '../helpers/in-memory-sync.js';
import { codesOf, read, written } from '../helpers/round-trip.js';

const hostile = [
  'a b; touch /x',
  '$HOME',
  '$(id)',
  '`id`',
  `it's`,
  '"quoted"',
  'C:\\dir\\',
  ';|&<>()',
  '*?[a]{b,c}!',
  '#',
  '~',
  '%PATH%',
  'line\nbreak',
  '',
  'A=1',
  'ä',
];

const server: HostStdioServer & { readonly transport: 'stdio' } = {
  name: 's',
  transport: 'stdio',
  command: '/opt/my tools/x',
  args: hostile,
  env: {},
  enabled: true,
};

describe.skipIf(process.platform === 'win32')('words for /bin/sh', () => {
  const printed = (words: readonly string[]) => {
    const line = words.map((word) => shellWord(word, 'sh', 'argument')).join(' ');
    return execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);
  };

  test('pass through the shell unchanged', () => {
    expect(printed(hostile)).toEqual(hostile);
    const anyWord = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(anyWord, { minLength: 1, maxLength: 30 }), (words) => {
        expect(printed(words)).toEqual(words);
      }),
      { numRuns: 20 },
    );
  });

  test('an assignment is not a program', () => {
    const line = `${shellWord('A=1', 'sh', 'program')}; echo $?`;
    expect(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })).toBe(
      '127\n',
    );
  });
});

test('a line of written words is split into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), (words) => {
      const line = words.map((word, index) => shellWord(word, 'sh', index === 0 ? 'program' : 'argument')).join(' ');
      expect(wordsOfLine(line, 'sh')).toEqual(words);
    }),
  );
});

test.each([
  ['npx -y "my server" --x=1', ['npx', '-y', 'my server', '--x=1']],
  [`node 'a'\\''b' c\\ d`, ['node', `a'b`, 'c d']],
  [`node "\${NAME}" --k=\${NAME:-x}`, ['node', `\${NAME}`, `--k=\${NAME:-x}`]],
  ['cd /srv && node x', ['/bin/sh', '-c', 'cd /srv && node x']],
  ['node "$HOME/x"', ['/bin/sh', '-c', 'node "$HOME/x"']],
  ['node *.js', ['/bin/sh', '-c', 'node *.js']],
  ['A=1 node x', ['/bin/sh', '-c', 'A=1 node x']],
  [`node 'unclosed`, ['/bin/sh', '-c', `node 'unclosed`]],
])('reads the line %j for /bin/sh', (line, words) => {
  expect(wordsOfLine(line, 'sh')).toEqual(words);
});

test.each([
  ['npx -y  demo', ['npx', '-y', 'demo']],
  ['node "a b"', undefined],
  ['a & b', undefined],
  ['node %PATH%', undefined],
])('reads the line %j for cmd.exe', (line, words) => {
  expect(wordsOfLine(line, 'cmd')).toEqual(words);
});

describe('Auggie runs command and arguments in a shell', () => {
  test('gets each word quoted, and no plain word changed', () => {
    const { text } = sync(moment('augment-cli-user'), [
      { ...server, command: 'npx', args: ['-y', '@a/b@1.0', '--dir=/srv', 'a b; touch /x', `$HOME`, `it's`, ''] },
    ]).after;
    expect(JSON.parse(text ?? '').mcpServers.s).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['-y', '@a/b@1.0', '--dir=/srv', `'a b; touch /x'`, `'$HOME'`, `'it'\\''s'`, `''`],
    });
  });

  test('is read back as it was', () => {
    const { entry, issues } = written('augment-cli-user', server);
    expect(issues).toEqual([]);
    expect(entry).toMatchObject({ command: `'/opt/my tools/x'` });
    expect(read('augment-cli-user', 's', entry)).toEqual({ server, issues: [] });
  });

  test('gets no variable in a command, because the shell would run its value', () => {
    for (const fields of [{ args: [`\${TOKEN}`] }, { command: `\${TOKEN}` }, { args: [`\${TOKEN:-x}`] }]) {
      const { entry, issues } = written('augment-cli-user', { ...server, args: [], ...fields });
      expect(entry).toBeUndefined();
      expect(issues).toMatchObject([
        { code: 'variables-not-supported', message: expect.stringContaining('would run its value') },
      ]);
    }
    const entry = { type: 'stdio', command: 'node', args: ['x.mjs', `"\${TOKEN}"`] };
    expect(read('augment-cli-user', 's', entry).server).toMatchObject({
      command: 'node',
      args: ['x.mjs', `\${TOKEN}`],
    });
  });

  test('gets the value of a variable quoted, where values may be written', () => {
    const writeSecrets = { TOKEN: '$(id); x' };
    const { entry } = written('augment-cli-user', { ...server, args: [`\${TOKEN}`] }, { writeSecrets });
    expect(entry).toMatchObject({ args: [`'$(id); x'`] });
  });

  test.each(hostile.filter((word) => !['#', '~', 'A=1'].includes(word)))('gets no %j on Windows', (word) => {
    const { entry, issues } = written('augment-cli-user', { ...server, command: 'node', args: ['x', word] }, win32);
    expect(entry).toBeUndefined();
    expect(issues).toMatchObject([
      { code: 'command-not-supported', severity: 'error', message: expect.stringContaining('args[1]') },
    ]);
  });

  test('gets plain words on Windows, unwrapped', () => {
    const plain: HostServer = { ...server, command: 'npx', args: ['-y', '@a/b', 'C:\\PROGRA~1\\x', '--a=1'] };
    const { entry, issues } = written('augment-cli-user', plain, win32);
    expect({ entry, issues }).toEqual({
      entry: { type: 'stdio', command: 'npx', args: plain.args },
      issues: [],
    });
    expect(read('augment-cli-user', 's', entry, 'win32').server).toEqual(plain);
  });

  test('of a project: warns that quotes are for one system', () => {
    const { entry, issues } = written('augment-cli-project', { ...server, args: ['x'] });
    expect(entry).toBeDefined();
    expect(issues).toMatchObject([{ code: 'command-not-supported', severity: 'warning' }]);
    expect(codesOf(written('augment-cli-project', { ...server, command: 'x', args: ['y'] }).issues)).toEqual([]);
  });
});

const win32 = { platform: 'win32' } as const;
