import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkConfig, formatIssue } from '../src/index.js';
import { issueExamples } from './helpers/issue-examples.js';

const page = readFileSync(new URL('../../../docs/errors/config-issues.md', import.meta.url), 'utf8');

describe.each(Object.entries(issueExamples))('%s', (code, { inputs, options, fixed, isLong = false }) => {
  const { issues } = checkConfig(inputs, options);

  test('is found in its example, and nothing else is', () => {
    expect(new Set(issues.map((issue) => issue.code))).toEqual(new Set([code]));
  });

  test('is gone once the example is mended', () => {
    expect(checkConfig(fixed, options).issues).toEqual([]);
  });

  test('is on the page of issue codes, as it is really printed', () => {
    expect(page).toContain(`\n## ${code}\n`);
    const [issue] = issues;
    if (issue === undefined || isLong) return;
    const text = inputs.find((input) => input.file === issue.file)?.text;
    expect(page).toContain(formatIssue(issue, { text }));
    for (const input of fixed) expect(page).toContain(input.text);
  });
});

test('the page of issue codes has no code that does not exist', () => {
  const onPage = Array.from(page.matchAll(/^## (\S+)$/gm), ([, code]) => code);
  expect(onPage.toSorted()).toEqual(Object.keys(issueExamples).toSorted());
});
