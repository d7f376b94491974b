import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { SourceText } from '../../src/source/source-text.js';
import { checkText, onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

const toml = (text: string) => checkText(text, 'mcp_servers.toml');
const dataOf = (text: string) => new SourceText(text, 'a.toml').value();

describe('TOML', () => {
  test('is read by file name, with comments, dotted keys and tables', () => {
    const text = `\uFEFF# servers
mcp_settings.startup_timeout_seconds = 20

[mcp_servers.git] # by name
command = "uvx mcp-server-git"
env = { GIT_DIR = '.git' }
health_check.method = "ping"

[mcp_servers."my server"]
command = ["node", """server.js"""]
`;
    const check = toml(text);
    expect(serverOf(check, 'git')).toMatchObject({
      command: 'uvx',
      args: ['mcp-server-git'],
      env: { GIT_DIR: '.git' },
      limits: { startupTimeoutMs: 20_000 },
      source: { file: 'mcp_servers.toml', line: 4, column: 14 },
    });
    expect(serverOf(check, 'my server')).toMatchObject({ command: 'node', args: ['server.js'] });
  });

  test('an issue has the position of its key or value', () => {
    const text = `[mcp_servers.git]
comand = "git-mcp"
[mcp_servers.web]
command = "web-mcp"
health_check = { timeout_seconds = 90 }
max_restart_attempts = 0x0B
`;
    expect(placesOf(toml(text))).toEqual(['2:1 unknown-key', '5:36 invalid-value', '6:24 invalid-value']);
  });

  test.each([
    ['a value without quotes', '[mcp_servers.a]\ncommand = npx\n', '2:11 syntax'],
    ['a value that is missing', '[mcp_servers.a]\ncommand =\n', '2:10 syntax'],
    ['a header that is not closed', '[mcp_servers.a\ncommand = "x"\n', '1:15 syntax'],
    ['a text that is not closed', '[mcp_servers.a]\ncommand = "x\n', '2:13 syntax'],
    ['a comma at the end of an inline table', 'mcp_servers = { a = { command = "x", } }\n', '1:38 syntax'],
    ['a text of another language', '{ "mcp_servers": {} }', '1:1 syntax'],
  ])('%s is a syntax error at its position', (_, text, place) => {
    expect(placesOf(toml(text))).toEqual([place]);
  });

  test.each([
    ['on two lines', '[a]\nb = 1\n"b" = 2\n', { line: 3, column: 1, key: 'b', path: ['a', 'b'] }, [2, 1]],
    ['as two tables', '[a.b]\nc = 1\n  [a.b]\n', { line: 3, column: 6, key: 'b', path: ['a', 'b'] }, [1, 2]],
    ['as text and table', 'a = 1\n[a]\n', { line: 2, column: 2, key: 'a', path: ['a'] }, [1, 1]],
    ['under dotted keys', 'a.b.c = 1\na.b.c = 2\n', { line: 2, column: 5, key: 'c', path: ['a', 'b', 'c'] }, [1, 5]],
    ['as dotted key and table', '[a]\nb.c = 1\n[a.b]\n', { line: 3, column: 4, key: 'b', path: ['a', 'b'] }, [2, 1]],
    ['as table and list', '[a]\n[[a]]\n', { line: 2, column: 3, key: 'a', path: ['a'] }, [1, 2]],
    ['after a text with line ends', 'a = """\nb = 1\n"""\na = 2\n', { line: 4, column: 1, path: ['a'] }, [1, 1]],
  ])('a repeated key, %s, is an issue with the first position', (_, text, issue, [line, column]) => {
    expect(onlyIssue(toml(text))).toMatchObject({ code: 'duplicate-key', ...issue, first: { line, column } });
  });

  test('a repeated key in an inline table is rejected at its position', () => {
    expect(placesOf(toml('mcp_servers = { a = { command = "x", command = "y" } }'))).toEqual(['1:38 syntax']);
  });

  test('an empty text, or one of comments, is empty', () => {
    expect(onlyIssue(toml('')).code).toBe('empty-file');
    expect(onlyIssue(toml('# nothing yet\n')).code).toBe('empty-file');
  });

  test('forbidden keys are rejected everywhere, and never reach an object', () => {
    const text = `[mcp_servers.a]
command = "x"
env = { constructor = "y" }
[__proto__]
polluted = true
[mcp_servers.prototype.env]
A = "b"
`;
    expect(placesOf(toml(text))).toEqual(['3:9 forbidden-key', '4:2 forbidden-key', '6:14 forbidden-key']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('a date is text, as in YAML and JSON', () => {
    expect(dataOf('a = 1979-05-27T07:32:00Z\nb = [1979-05-27]\n')).toEqual({
      a: '1979-05-27T07:32:00Z',
      b: ['1979-05-27'],
    });
  });

  test.each([
    ['lists', `a = ${'['.repeat(4_000_000)}`],
    ['inline tables', `a = ${'{ a = '.repeat(101)}1`],
    ['dotted keys', `${'a.'.repeat(2_000_000)}a = 1`],
    ['headers', `[${'a.'.repeat(101)}a]`],
  ])('the depth of %s is limited before parsing', (_, text) => {
    expect(onlyIssue(toml(text)).code).toBe('too-deep');
  });

  test.each([
    ['a long text', `a = '${'x'.repeat(500_000)}'`, 'bytes'],
    ['a long text on several lines', `a = """${'\n'.repeat(500_000)}"""`, 'bytes'],
    ['a long number', `a = ${'1'.repeat(500_000)}`, 'bytes'],
    ['a text that is never closed', `a = """${'\\"""'.repeat(1_000_000)}`, 'bytes'],
    ['a long list', `a = [${'1,'.repeat(1_000_000)}]`, 'parts'],
    ['many headers', '[[a]]\n'.repeat(800_000), 'parts'],
  ])('%s is rejected before parsing', (_, text, unit) => {
    expect(onlyIssue(toml(text))).toMatchObject({ code: 'too-large', unit });
  });

  test('a comment may be as long as the text', () => {
    expect(toml(`# ${'-'.repeat(100_000)}\nmcp_servers = {}\n`).issues).toEqual([]);
  });
});

describe('properties of TOML', () => {
  test('data of another library is read as the same data', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'my key', 'ä.b', ''), fc.string({ unit: 'grapheme' }));
    const safeKey = key.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(safeKey, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(safeKey, value, { minKeys: 1 }), (data) => {
        const text = stringify(data);
        expect(dataOf(text)).toEqual(JSON.parse(JSON.stringify(parse(text))));
      }),
    );
  });

  test('any text is read or reported, with positions inside it', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '=',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '"""',
      '\n',
      '#',
      '1',
      '\\',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const source = new SourceText(text, 'a.toml');
        expect(source.isReadable).toBe(source.issues.length === 0);
        const lines = text.split('\n');
        for (const { line, column } of source.issues) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 2);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
