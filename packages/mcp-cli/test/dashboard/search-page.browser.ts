import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { enter, focusedText, tabTo } from '../helpers/keyboard.js';

const tools = `
tools:
  reviewer:
    role_restrictions:
      review: { allowed_tools: [rich.plan] }
      other: { allowed_tools: [echo.echo] }
`;

const stage = browserStage([{ name: 'echo', server: 'echo' }], {
  files: { 'tools.yaml': tools },
  entries: { rich: fixtureEntry('rich-tools'), hostile: fixtureEntry('hostile-tools') },
});

async function openSearch(query = '', options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await stage.open(`/search${query}`, { ...options, may: 'look' });
  await watched.page.getByRole('button', { name: 'Search', exact: true }).waitFor();
  return watched;
}

test('shows what a model reads, with scores, evidence and tokens beside a list of all tools', async () => {
  await using watched = await openSearch();
  const { page } = watched;
  await page.getByRole('searchbox').fill('plan a trip zebra');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('region', { name: 'The answer of the search' });
  await answer.getByText('mcp__rich__plan(title: string').waitFor();
  const told = await stage.control.call({ tool: 'search_mcp_tools', args: { query: 'plan a trip zebra' } });
  expect(await answer.textContent()).toBe((told.content[0] as { readonly text: string }).text);
  const first = page.getByRole('list', { name: 'Found tools' }).getByRole('listitem').first();
  await first.getByRole('link', { name: 'rich.plan' }).waitFor();
  await first.getByText(/score \d+\.\d\d · \d+ % of the words · \d+ tokens/).waitFor();
  expect(await first.textContent()).toMatch(/trip/);
  await page.getByText('No tool has “zebra”.').waitFor();
  const tokens = await page.getByRole('list', { name: 'Tokens' }).getByRole('listitem').allTextContents();
  expect(tokens).toHaveLength(3);
  expect(tokens[2]).toMatch(/all \d+ tools listed/);
  expect(page.url()).toContain('q=plan+a+trip+zebra');
  const call = (await stage.recorder.snapshot()).calls.find(({ client }) => client?.startsWith('dashboard '));
  expect(call?.tool).toBe('search_mcp_tools');
  expect(watched.problems).toEqual([]);
});

test('shows a role only what it may use', async () => {
  await using watched = await openSearch('?q=echo%20plan&role=review');
  const { page } = watched;
  const found = page.getByRole('list', { name: 'Found tools' });
  await found.getByText('rich.plan').waitFor();
  expect(await found.getByRole('listitem').count()).toBe(1);
  await page.getByRole('combobox', { name: 'As role' }).selectOption('other');
  await found.getByText('echo.echo').waitFor();
  expect(await found.getByRole('listitem').count()).toBe(1);
  expect(await page.getByRole('region', { name: 'The answer of the search' }).textContent()).not.toContain('plan');
  expect(watched.problems).toEqual([]);
});

test('by keyboard: words and a role are searched for, the answer is read, and a tool is opened', async () => {
  await using watched = await openSearch();
  const { page } = watched;
  await tabTo(page.getByRole('searchbox', { name: 'The model looks for' }));
  await page.keyboard.type('echo plan');
  await page.keyboard.press('Enter');
  const found = page.getByRole('list', { name: 'Found tools' });
  await found.getByText('echo.echo').waitFor();
  expect(await page.evaluate('document.activeElement?.type')).toBe('search'); // to search for something else
  await tabTo(page.getByRole('combobox', { name: 'As role' }), { maxPresses: 1 });
  await page.keyboard.type('review');
  await expect.poll(() => found.getByText('echo.echo').count()).toBe(0);
  await tabTo(page.getByRole('region', { name: 'The answer of the search' }));
  await enter(found.getByRole('link', { name: 'rich.plan' }));
  await page.getByRole('heading', { name: 'plan', exact: true }).waitFor();
  await expect.poll(() => focusedText(page)).toBe('plan');
  expect(watched.problems).toEqual([]);
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 800 } }],
] as const)('%s: it follows the rules of accessibility, with hostile texts as text', async (_name, options) => {
  await using watched = await openSearch('?q=window%20attacked%20script%20plan%20trip', options);
  const { page } = watched;
  await page.getByRole('list', { name: 'Found tools' }).getByText('hostile.scripted').waitFor();
  await expectAccessible(page, 'a search');
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(await page.locator('main script, main iframe, main img').count()).toBe(0);
  const { origin } = new URL(page.url());
  expect(watched.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(watched.problems).toEqual([]);
});
