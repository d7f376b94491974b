import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkConfig, formatIssue } from '../src/index.js';
import { issueRules, pageOf } from '../src/output/issue-rules.js';
import { issueExamples } from './helpers/issue-examples.js';

const folder = new URL('../../../docs/errors/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, folder), 'utf8');

describe.each(Object.entries(issueExamples))('%s', (code, { inputs, options, fixed, isLong = false }) => {
  const { issues } = checkConfig(inputs, options);

  test('is the only issue of its example', () => {
    expect(new Set(issues.map((issue) => issue.code))).toEqual(new Set([code]));
  });

  test('disappears in the corrected example', () => {
    expect(checkConfig(fixed, options).issues).toEqual([]);
  });

  test('has a page that shows it as printed', () => {
    const page = read(`${code}.md`);
    const [issue] = issues;
    if (issue === undefined || isLong) return;
    const text = inputs.find((input) => input.file === issue.file)?.text;
    expect(page).toContain(`\`\`\`text\n${formatIssue(issue, { text })}\n\`\`\``);
    for (const input of fixed) expect(page).toContain(input.text);
  });
});

const codes = Object.entries(issueRules);

test('every code has a page with its name, which reports link to', () => {
  for (const [code] of codes) expect(read(`${code}.md`)).toMatch(new RegExp(`^# ${code}$`, 'm'));
  expect(pageOf('syntax')).toMatch(/\/docs\/errors\/syntax\.md$/);
});

test('the index of the pages lists every code with its meaning', () => {
  const index = read('README.md');
  for (const [code, meaning] of codes) expect(index).toContain(`| [\`${code}\`](${code}.md) | ${meaning} |`);
});

test('every page is about an existing code', () => {
  const pages = readdirSync(folder).filter((name) => /(?<!^README|^host-files|-errors)\.md$/.test(name));
  expect(pages.toSorted()).toEqual(codes.map(([code]) => `${code}.md`).toSorted());
});
