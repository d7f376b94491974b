// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGatewayServer, splitCommand, startsRemoteGateway } from '../src/launch.js';

const wordsOf = (command: string) => {
  const split = splitCommand(command);
  return 'words' in split ? split.words : split.problem;
};

describe('a word of several parts', () => {
  test.each([
    ['\'a\\\\b\'"c"', ['a\\\\bc']],
    ['a\\\\\\\\b"c"', ['a\\\\bc']],
    ['"a\\\\\\\\b""c"', ['a\\\\bc']],
    ['\'a\\"\'"c"', ['a\\"c']],
    ['"it\'s"\' "q"\'', ['it\'s "q"']],
    ['"a\\"b\\\\c\\d\\$e\\`f"', ['a"b\\c\\d$e`f']],
    ['a\\\n b "c\\\nd"', ['a', 'b', 'cd']],
    ["$'a\\tb' $\"c\" \\$'d'", ['$a\\tb', '$c', '$d']],
  ])('%j is put together as a shell does', (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });

  test('comes back whole, however its characters are quoted', () => {
    const inDouble = (text: string) => `"${text.replace(/["\\$`]/g, '\\$&')}"`;
    const inSingle = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    const escaped = (text: string) => text.replace(/[^\n]/gu, '\\$&').replaceAll('\n', "'\n'");
    const part = fc.tuple(
      fc.string({
        unit: fc.constantFrom('a', 'n', ' ', '\\', '"', "'", '$', '`', '\n', '#'),
        minLength: 1,
        maxLength: 5,
      }),
      fc.constantFrom(inDouble, inSingle, escaped),
    );
    fc.assert(
      fc.property(fc.array(fc.array(part, { minLength: 1 }), { maxLength: 4 }), (words) => {
        const command = words.map((parts) => parts.map(([text, quote]) => quote(text)).join('')).join(' ');
        expect(wordsOf(command)).toEqual(words.map((parts) => parts.map(([text]) => text).join('')));
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['a "b', 'has a quote that is not closed'],
  ['a \'b"', 'has a quote that is not closed'],
  ["\\'a'", 'has a quote that is not closed'],
  ['a \\', 'ends with a backslash'],
])('%j is no command line', (command, problem) => {
  expect(wordsOf(command)).toBe(problem);
});

test('reports a backslash that has no effect', () => {
  expect(splitCommand('C:\\tools\\a.exe .\\b \'c\\d\' "e\\f" g\\ h \\"')).toEqual({
    words: ['C:toolsa.exe', '.b', 'c\\d', 'e\\f', 'g h', '"'],
    dropped: ['t', 'a', 'b'],
  });
});

test('a long text of anything is split or refused in a moment', () => {
  for (const piece of ['a ', '"', "'", '\\', `"'`, '"\\a', '$"']) {
    expect(() => splitCommand(piece.repeat(200_000 / piece.length))).not.toThrow();
  }
});

describe('mcpx serve on another machine', () => {
  const launch = (words: string) => {
    const [command = '', ...args] = wordsOf(words);
    const server = { transport: 'stdio', command, args } as const;
    return { isOwn: isGatewayServer(server), isRemote: startsRemoteGateway(server) };
  };

  test.each([
    'ssh build-1 mcpx serve --names nested',
    '/usr/bin/ssh -p 2222 ann@build-1 /opt/bin/mcpx serve git --names=nested',
    "ssh build-1 'cd /srv/tools && mcpx serve --names nested'",
    'ssh build-1 npx -y @x/mcp-cli serve --names nested',
  ])('%s is the gateway of another machine', (words) => {
    expect(launch(words)).toEqual({ isOwn: false, isRemote: true });
  });

  test.each([
    'ssh build-1 mcpx serve',
    "ssh build-1 'cd /srv && mcpx serve'",
    'ssh build-1 mcpx serve --names as-is',
    'mcpx serve --names nested',
    'mcpx serve --names nested ssh',
  ])('%s could start this one again', (words) => {
    expect(launch(words)).toEqual({ isOwn: true, isRemote: false });
  });

  test.each(['ssh build-1 git-server --names nested', 'node server.js --names nested'])('%s is a server', (words) => {
    expect(launch(words)).toEqual({ isOwn: false, isRemote: false });
  });
});
