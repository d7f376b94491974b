import { describe, expect, test } from 'vitest';
import { checkText, onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

const json = (text: string) => checkText(text, '.mcp.json');

describe('JSON', () => {
  test('may have comments, trailing commas and a byte order mark', () => {
    const text =
      '\uFEFF{\r\n  // servers\r\n  "mcpServers": { "a": { "command": "x", /* none */ "args": [], }, },\r\n}\r\n';
    expect(serverOf(json(text), 'a')).toMatchObject({ command: 'x', source: { line: 3, column: 19 } });
  });

  test('a repeated key is an issue at any level', () => {
    const text = '{\n"mcpServers": { "a": { "command": "x", "command": "y" } },\n"mcpServers": {}\n}';
    expect(json(text).issues).toMatchObject([
      { code: 'duplicate-key', line: 2, column: 40, first: { line: 2, column: 24 } },
      { code: 'duplicate-key', line: 3, column: 1, first: { line: 2, column: 1 } },
    ]);
  });

  test.each([
    ['cut off', '{ "mcpServers": { "a": { "command": "x"', '1:40 syntax'],
    ['with more behind its end', '{ "mcpServers": {} }\n "a": 1 }', '2:2 syntax'],
    ['with single quotes', "{ 'mcpServers': {} }", '1:3 syntax'],
    ['with a comma missing', '{ "mcpServers": { "a": {}\n "b": {} } }', '2:2 syntax'],
    ['with a line end in a text', '{ "mcpServers": { "a\n": {} } }', '1:19 syntax'],
  ])('a text %s is a syntax error at its position', (_, text, place) => {
    expect(placesOf(json(text))[0]).toBe(place);
    expect(json(text).config).toBeUndefined();
  });

  test('depth is limited before parsing', () => {
    expect(onlyIssue(json('['.repeat(4_000_000))).code).toBe('too-deep');
    expect(onlyIssue(json('{"a":'.repeat(101))).code).toBe('too-deep');
    expect(onlyIssue(json(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)).code).toBe('unrecognised-file');
  });

  test('forbidden keys are rejected at any level, and never reach an object', () => {
    const text = '{ "__proto__": {}, "mcpServers": { "a": { "command": "x", "env": { "constructor": "y" } } } }';
    expect(placesOf(json(text))).toEqual(['1:3 forbidden-key', '1:68 forbidden-key']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
