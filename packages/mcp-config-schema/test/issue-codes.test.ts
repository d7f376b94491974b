import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkConfig, formatIssue } from '../src/index.js';
import { issueRules, pageOf } from '../src/output/issue-rules.js';
import { issueExamples } from './helpers/issue-examples.js';

const folder = new URL('../../../docs/errors/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, folder), 'utf8');

describe.each(Object.entries(issueExamples))('%s', (code, { inputs, options, fixed, isLong = false }) => {
  const { issues } = checkConfig(inputs, options);

  test('is found in its example, and nothing else is', () => {
    expect(new Set(issues.map((issue) => issue.code))).toEqual(new Set([code]));
  });

  test('is gone once the example is mended', () => {
    expect(checkConfig(fixed, options).issues).toEqual([]);
  });

  test('has a page that shows it as it is really printed', () => {
    const page = read(`${code}.md`);
    const [issue] = issues;
    if (issue === undefined || isLong) return;
    const text = inputs.find((input) => input.file === issue.file)?.text;
    expect(page).toContain(`\`\`\`text\n${formatIssue(issue, { text })}\n\`\`\``);
    for (const input of fixed) expect(page).toContain(input.text);
  });
});

const codes = Object.entries(issueRules);

test('every code has a page under its name, which is where reports point to', () => {
  for (const [code] of codes) expect(read(`${code}.md`)).toMatch(new RegExp(`^# ${code}$`, 'm'));
  expect(pageOf('syntax')).toMatch(/\/docs\/errors\/syntax\.md$/);
});

test('the index of the pages lists every code with what it means', () => {
  const index = read('README.md');
  for (const [code, meaning] of codes) expect(index).toContain(`| [\`${code}\`](${code}.md) | ${meaning} |`);
});

test('no page is about a code that does not exist', () => {
  const pages = readdirSync(folder).filter((name) => /(?<!^README|^host-files|-errors)\.md$/.test(name));
  expect(pages.toSorted()).toEqual(codes.map(([code]) => `${code}.md`).toSorted());
});
