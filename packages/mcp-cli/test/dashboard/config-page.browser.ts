import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, startBrowser, type WatchedPage } from '../helpers/browser.js';
import { type DashboardStage, dashboardStage } from '../helpers/dashboard-stage.js';

// Chromium is several processes, which share two cores with all the others.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const odd = '<b>odd</b> "one"';
const turned = '\u202Eevil\u200B<b>bold</b>';

const { command, args } = testServer('echo');

/** A file as people write it: comments, quotes, an empty line. */
const servers = (more = '') => `# servers of this test
mcp_servers:
  echo: # stays
    command: ${JSON.stringify(command)}
    args: ${JSON.stringify(args)}
    auto_start: true
    priority: 5 # first

  secret:
    command: ${JSON.stringify(process.execPath)}
    args: [--version]
    disabled: true
    env: { GITHUB_TOKEN: ${token}, OTHER: "\${NOT_SET_HERE}" }
  '${odd}':
    command: [no-such-program]
    auto_start: false
    tags: ["${turned}"]
${more}`;

let browser: Browser;
let stage: DashboardStage;

beforeAll(async () => {
  [browser, stage] = await Promise.all([
    startBrowser(),
    dashboardStage([], {
      // In place of the file that the stage writes.
      pageDirectory: inject('pageDirectory'),
      files: {
        'mcp_servers.yaml': servers(),
        'tools.yaml': 'tools: { reviewer: { mcp_tools: { required: [echo] } } }\n',
      },
      follows: true,
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const file = () => join(stage.folder, 'mcp_servers.yaml');
const text = (page: Page) => page.getByRole('region', { name: `Text of ${file()}` });

async function openConfig(may: 'look' | 'operate' | 'call' = 'operate', options = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, stage.dashboard.newLink(may).url, options);
  await watched.page.getByRole('navigation').getByRole('link', { name: 'Config', exact: true }).click();
  await text(watched.page).getByText('# servers of this test').waitFor();
  return watched;
}

test('shows the files with line numbers and without secrets, hostile texts literally, and unset variables', async () => {
  await using watched = await openConfig('look');
  const { page } = watched;
  await page.getByRole('heading', { name: file(), exact: true }).waitFor();
  await page.getByRole('heading', { name: join(stage.folder, 'tools.yaml'), exact: true }).waitFor();
  const shown = await text(page).textContent();
  expect(shown).toContain('GITHUB_TOKEN: ***, OTHER: "$');
  expect(shown).toContain('U+202EevilU+200B<b>bold</b>');
  expect(await text(page).locator('b').count()).toBe(0);
  expect(await page.content()).not.toContain(token);
  const unset = page.getByRole('list', { name: 'Variables without a value' });
  await unset.getByText('NOT_SET_HERE').waitFor();
  await page.getByText('inline-secret').first().waitFor();
  expect(watched.problems).toEqual([]);
});

test('an edit with errors is shown at its place with its remedy, and is said not to be in effect', async () => {
  await using watched = await openConfig('look');
  const { page } = watched;
  const lines = servers('  broken:\n    command: x\n    auto_strat: true\n').split('\n');
  const line = lines.findIndex((each) => each.includes('auto_strat')) + 1;
  await writeFile(file(), lines.join('\n'));
  try {
    const banner = page.getByRole('region', { name: 'The latest edit is not in effect' });
    await banner.getByText(`${line}:5`).waitFor();
    const place = page.getByRole('list', { name: 'Issues' }).getByRole('button', { name: `:${line}:5` });
    await place.focus();
    await page.keyboard.press('Enter');
    const issue = page.locator('.source-issue:focus');
    await issue.getByText('unknown-key').waitFor();
    await issue.getByText(`line ${line}, column 5`).waitFor();
    await issue.getByText(/→ .*auto_start/).waitFor();
    expect(await issue.locator('.caret').textContent()).toBe('    ^');
    await expectAccessible(page, 'an edit with errors');
  } finally {
    await writeFile(file(), servers());
  }
  await page.getByText('auto_strat').first().waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'The latest edit is not in effect' }).waitFor({ state: 'detached' });
  expect(watched.problems).toEqual([]);
});

test.each([
  ['light', 'light', 1_280],
  ['dark', 'dark', 1_280],
  ['on a phone', 'light', 360],
] as const)('the files follow the rules of axe: %s', async (what, colorScheme, width) => {
  await using watched = await openConfig('operate', { colorScheme, viewport: { width, height: 800 } });
  await expectAccessible(watched.page, `config ${what}`);
  expect(watched.problems).toEqual([]);
});
