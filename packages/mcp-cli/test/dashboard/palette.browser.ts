import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';

const stage = browserStage(
  [
    { name: 'echo', server: 'echo' },
    { name: 'second', server: 'echo', fields: { auto_start: false } },
  ],
  { entries: { hostile: fixtureEntry('hostile-tools') } },
);

const open = (options: BrowserContextOptions = {}, may: 'look' | 'call' = 'call'): Promise<WatchedPage> =>
  stage.open(undefined, { ...options, may });

const box = (page: Page) => page.getByRole('combobox', { name: /^Go to/ });
const option = (page: Page, name: string) => page.getByRole('option', { name, exact: true });
const selected = (page: Page) => page.getByRole('option', { selected: true }).textContent();

async function type(page: Page, words: string) {
  await page.keyboard.press('Control+k');
  await box(page).fill(words);
}

test('goes to views, servers and tools by keyboard, and names the chosen option', async () => {
  await using watched = await open();
  const { page } = watched;
  await type(page, 'acc');
  expect(await selected(page)).toBe('Accessview');
  expect(await page.evaluate('document.activeElement?.role ?? document.activeElement?.getAttribute("role")')).toBe(
    'combobox',
  );
  const active = await box(page).getAttribute('aria-activedescendant');
  expect(await page.locator(`#${active}`).textContent()).toBe('Accessview');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Access');
  await type(page, 'second');
  await option(page, 'second server').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'second', exact: true }).waitFor();
  await type(page, 'echo a text');
  await option(page, 'echo.echo tool').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
  expect(watched.problems).toEqual([]);
});

test('begins an action, which asks first', async () => {
  await using watched = await open();
  const { page } = watched;
  await type(page, 'start second');
  await option(page, 'Start second … action').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Start “second”?').waitFor();
  await page.keyboard.press('Escape');
  await type(page, 'record');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Record the arguments and results of calls?').waitFor();
  await page.keyboard.press('Control+k'); // a question stays alone
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(watched.problems).toEqual([]);
});

test('has no action on a page that may only look', async () => {
  await using watched = await open({}, 'look');
  const { page } = watched;
  await type(page, 'second');
  await option(page, 'second server').waitFor();
  expect(await page.getByRole('option').filter({ hasText: 'action' }).count()).toBe(0);
  await box(page).fill('record');
  await page.getByText('Nothing has that name.').waitFor();
  expect(watched.problems).toEqual([]);
});

test('Escape closes it, and the focus goes back', async () => {
  await using watched = await open();
  const { page } = watched;
  const button = page.getByRole('button', { name: /^Go to/ });
  await button.press('Enter');
  await box(page).waitFor();
  await page.keyboard.press('Escape');
  await box(page).waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement?.className')).toBe('go-to');
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 720 } }],
] as const)('%s: it follows the rules of accessibility, with hostile names as text', async (_name, options) => {
  await using watched = await open(options);
  const { page } = watched;
  await type(page, 'turned');
  await option(page, 'hostile.turned tool').waitFor();
  await expectAccessible(page, 'results');
  await box(page).fill('');
  await expectAccessible(page, 'without words');
  await box(page).fill('<script>window.attacked</script>');
  await page.getByText(/Nothing has that name|found/).waitFor();
  await expectAccessible(page, 'nothing');
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(watched.problems).toEqual([]);
});
