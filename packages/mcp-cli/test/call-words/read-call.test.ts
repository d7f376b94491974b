import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCall } from '../../src/call-words/read-call.js';

const read = (tool: string, words: readonly string[] = [], stdin = '') =>
  readCall(tool, words, { stdin: Readable.from([stdin]) });

describe('a call like a function', () => {
  test.each<[call: string, tool: string, args: unknown]>([
    ['s.t()', 's.t', {}],
    ['s.t( )', 's.t', {}],
    ['s.t(a: 2, b: "x y")', 's.t', { a: 2, b: 'x y' }],
    ["s.t(a: 2, b: 'x y',)", 's.t', { a: 2, b: 'x y' }],
    ['s.t(a=2, b="x")', 's.t', { a: 2, b: 'x' }],
    ['s.t(a = 2)', 's.t', { a: 2 }],
    ['s.t({a: 2, "b": [1, {c: null}]})', 's.t', { a: 2, b: [1, { c: null }] }],
    ['s.t({"a": 2});', 's.t', { a: 2 }],
    ['s.t (a: true, b: False, c: None)', 's.t', { a: true, b: false, c: null }],
    ['mcp__s__t("a": -1.5e3)', 'mcp__s__t', { a: -1500 }],
    ['s/t(per-page: 5, a.b: 1)', 's/t', { 'per-page': 5, 'a.b': 1 }],
    ['s.t(a: "say \\"hi\\"\\n\\u00e9", b: \'it\\\'s\')', 's.t', { a: 'say "hi"\né', b: "it's" }],
    ['s.t(a: "two\nlines")', 's.t', { a: 'two\nlines' }],
    ['s.t(a: "), b: 2")', 's.t', { a: '), b: 2' }],
    ['s.t(__proto__: 1)', 's.t', JSON.parse('{"__proto__":1}')],
  ])('%s', async (call, tool, args) => {
    expect(await read(call)).toEqual({ tool, arguments: { kind: 'object', value: args } });
  });

  test.each<[call: string, message: string, mark: string]>([
    ['s.t(a: 2', '"," or ")" is missing', '        ^'],
    ['s.t(', '")" is missing', '    ^'],
    ['s.t(a: 2, b)', 'an argument must have a name, as in name: value', '          ^'],
    ['s.t("x")', 'an argument must have a name, as in name: value', '    ^'],
    ['s.t(2, 3)', 'an argument must have a name, as in name: value', '    ^'],
    ['s.t(a: )', 'a value is missing', '       ^'],
    ['s.t(a: 2 b: 3)', '"," or ")" is missing', '         ^'],
    ['s.t(a: Oslo)', '"Oslo" needs quotes', '       ^'],
    ['s.t(a: 1_000)', '"1_000" needs quotes', '       ^'],
    ['s.t(a: "x)', 'the quote that begins here is not closed', '       ^'],
    ['s.t(a: "\\d")', '"\\d" is no escape; write "\\\\d" for a backslash', '        ^'],
    ['s.t(a: "\\u12")', 'the escape \\u needs four hexadecimal digits', '        ^'],
    ['s.t(a: 1, a: 2)', '"a" is given twice', '          ^'],
    ['s.t(a: 12345678901234567890)', 'the number 12345678901234567890 would be rounded', '       ^'],
    ['s.t(a: 1e999)', 'would be rounded', '       ^'],
    ['s.t(a: 2) x', 'nothing may follow here', '          ^'],
    ['s.t({a: 2}, 3)', '")" is missing', '          ^'],
    [`s.t(a: ${'['.repeat(600)})`, 'the values are nested too deeply', ''],
  ])('%s: %s', async (call, message, mark) => {
    const error = await read(call).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
    if (mark !== '') expect(error).toMatchObject({ details: [call, mark] });
  });

  test('takes no other words', async () => {
    await expect(read('s.t(a: 2)', ['b=3'])).rejects.toMatchObject({
      message: '"b=3" follows a call that has its arguments in brackets.',
      details: ['s.t(a: 2) b=3', '          ^'],
    });
  });

  test('is marked in a part of a long line', async () => {
    const error = await read(`s.t(a: "${'x'.repeat(200)}", b: Oslo, c: "${'y'.repeat(200)}")`).catch(
      (reason: { details: readonly string[] }) => reason,
    );
    const [line = '', mark = ''] = (error as { details: readonly string[] }).details;
    expect(line).toHaveLength(62);
    expect(line.slice(mark.length - 1)).toMatch(/^Oslo/);
  });
});

describe('words', () => {
  const object = (value: unknown) => ({ kind: 'object', value });

  test.each<[words: readonly string[], stdin: string, expected: unknown]>([
    [[], '', object({})],
    [['--'], '', object({})],
    [['{"a": 2}'], '', object({ a: 2 })],
    [["{a: 2, b: 'x y'}"], '', object({ a: 2, b: 'x y' })],
    [['--', '{"a": 2}'], '', object({ a: 2 })],
    [['-'], '{"a": 2}\n', object({ a: 2 })],
    [['a=1', '--b', '2'], '', { kind: 'words', words: ['a=1', '--b', '2'] }],
    [['--', '--timeout', '5'], '', { kind: 'words', words: ['--timeout', '5'] }],
    [['a={"b":1}'], '', { kind: 'words', words: ['a={"b":1}'] }],
    [['--a', '{"b":1}'], '', { kind: 'words', words: ['--a', '{"b":1}'] }],
    [['a:', '-'], '', { kind: 'words', words: ['a:', '-'] }],
  ])('%j', async (words, stdin, expected) => {
    expect(await read('t', words, stdin)).toEqual({ tool: 't', arguments: expected });
  });

  test.each<[words: readonly string[], message: string, details: readonly string[]]>([
    [['hello'], 'The argument "hello" must have the form key=value.', ['hello', '^']],
    [['a=1', 'b'], 'The argument "b" must have the form key=value.', ['a=1 b', '    ^']],
    [['=x'], 'The argument "=x" must have the form key=value.', ['=x', '^']],
    [['-x'], '"-x" is no option of "mcpx call". Arguments of the tool begin with two dashes.', ['-x', '^']],
    [['{"a": 2}', 'b=3'], 'An object with the arguments must be the only word.', ['{"a": 2} b=3', '^']],
    [['a=1', '{b: 3}'], 'An object with the arguments must be the only word.', ['a=1 {b: 3}', '    ^']],
    [['-', 'a=1'], 'Arguments on stdin and arguments on the command line exclude each other.', ['- a=1', '^']],
    [['{a: 2'], 'The arguments cannot be read: "," or "}" is missing.', ['{a: 2', '     ^']],
    [['{"a": 2, "a": 3}'], 'The arguments cannot be read: "a" is given twice.', ['{"a": 2, "a": 3}', '         ^']],
    [['[1]'], 'The arguments must be an object.', ['[1]', '^']],
  ])('%j: %s', async (words, message, details) => {
    await expect(read('t', words)).rejects.toMatchObject({ exitCode: 2, message, details });
  });

  test('on stdin may be any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        const json = JSON.stringify(value);
        expect(await read('t', ['-'], json)).toEqual({ tool: 't', arguments: object(JSON.parse(json)) });
      }),
    );
  });

  test('never fail in another way than with a usage error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(fc.string()), async (tool, words) => {
        const outcome = await read(tool, words).catch((error: { exitCode: number }) => error);
        expect('exitCode' in outcome ? outcome.exitCode : 2).toBe(2);
      }),
    );
  });
});
