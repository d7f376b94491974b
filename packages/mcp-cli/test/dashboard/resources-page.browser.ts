import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { enter, focusedText } from '../helpers/keyboard.js';

const stage = browserStage([], {
  entries: {
    rich: fixtureEntry('rich-tools'),
    many: fixtureEntry('rich-tools', '450'),
    paged: fixtureEntry('needs-page'),
  },
});

async function openTab(
  server: string,
  tab: 'resources' | 'prompts',
  options: BrowserContextOptions = {},
  may: 'look' | 'operate' | 'call' = 'call',
): Promise<WatchedPage> {
  const watched = await stage.open(`/servers/${server}?tab=${tab}`, { ...options, may });
  await watched.page.getByRole('list', { name: tab === 'resources' ? 'Resources' : 'Prompts' }).waitFor();
  return watched;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Nothing of a server ran, loaded or was linked. */
async function expectInert({ page, problems, requested }: WatchedPage) {
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  const { origin } = new URL(page.url());
  expect(requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(await page.locator('main script, main iframe, main style').count()).toBe(0);
  expect(problems).toEqual([]);
}

test('a resource is read: JSON as a tree, an image as an image', async () => {
  await using watched = await openTab('rich', 'resources');
  const { page } = watched;
  await press(page, 'Open trip://1');
  await page.getByRole('heading', { name: 'trip://1' }).waitFor();
  expect(page.url()).toContain('uri=trip%3A%2F%2F1');
  await press(page, 'Read');
  await page.getByRole('group', { name: 'Text' }).getByText('"Ulm"').waitFor();
  const decoded = `(image) => image.decode().then(() => image.naturalWidth)`;
  expect(await page.evaluate(`(${decoded})(document.querySelector('.result img'))`)).toBe(24);
  await expectInert(watched);
});

test('bytes are shown as bytes, and hostile text as text', async () => {
  await using watched = await openTab('rich', 'resources');
  const { page } = watched;
  await press(page, 'Open trip://bytes');
  await press(page, 'Read');
  const bytes = await page.getByRole('group', { name: 'The first bytes' }).textContent();
  expect(bytes).toBe(
    '00 01 fe 62 69 6e 61 72 79 3c 73 63 72 69 70 74  ...binary<script\n3e                                               >',
  );
  await press(page, 'Open trip://{id}');
  await page.getByRole('textbox', { name: 'id' }).fill('a b/<c>');
  await page.getByRole('heading', { name: 'trip://a%20b%2F%3Cc%3E' }).waitFor();
  await press(page, 'Read');
  await page.getByText('<script>window.attacked=1</script>').waitFor();
  await page.getByText('U+202E').waitFor();
  await expectInert(watched);
});

test('a prompt is filled in and previewed, with its missing arguments named', async () => {
  await using watched = await openTab('rich', 'prompts');
  const { page } = watched;
  await press(page, 'Open packing');
  await press(page, 'Preview');
  await page.getByText('✕ Missing.').waitFor();
  expect(await page.evaluate('document.activeElement?.id')).toBe('prompt-0');
  await page.getByRole('textbox', { name: /^days/ }).fill('3');
  await press(page, 'Preview');
  const messages = page.getByRole('list', { name: 'Messages' });
  await messages.getByText('Pack for 3 days in any place.').waitFor();
  await messages.getByText('assistant').waitFor();
  expect(await messages.getByRole('img').count()).toBe(1);
  await expectInert(watched);
});

test('arguments of prompts and variables of templates are completed by the server', async () => {
  await using watched = await openTab('rich', 'prompts');
  const { page } = watched;
  const suggestions = (name: string) =>
    page
      .getByRole('list', { name: `Suggestions for ${name}` })
      .getByRole('button')
      .allTextContents();
  await press(page, 'Open packing');
  await page.getByRole('textbox', { name: /^days/ }).fill('3');
  const place = page.getByRole('textbox', { name: /^place/ });
  await place.focus();
  await expect.poll(() => suggestions('place')).toEqual(['Ulm', 'Utrecht', 'Ulm for 3 days', 'U+202Eevil']);
  await place.fill('Ul');
  await expect.poll(() => suggestions('place')).toEqual(['Ulm', 'Ulm for 3 days']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await place.inputValue()).toBe('Ulm');
  await expect.poll(() => suggestions('place')).toEqual(['Ulm for 3 days']);
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
  await expectAccessible(page, 'suggestions');
  await press(page, 'Resources');
  await press(page, 'Open trip://{id}');
  await page.getByRole('textbox', { name: 'id' }).fill('b');
  await press(page, 'bytes');
  await page.getByRole('heading', { name: 'trip://bytes' }).waitFor();
  await expectInert(watched);
});

test('what a server asks before its prompt is answered on the page', async () => {
  await using watched = await openTab('paged', 'prompts');
  const { page } = watched;
  await press(page, 'Open greet');
  await press(page, 'Preview');
  const question = page.getByRole('dialog');
  await question.getByText('Who are you?').waitFor();
  await question.getByRole('textbox', { name: /^name/ }).fill('Ann');
  await question.getByRole('button', { name: 'Send to the server' }).click();
  await page.getByText('Greet Ann').waitFor();
  expect(watched.problems).toEqual([]);
});

test.each(['look', 'operate'] as const)('a page that may %s lists them, and reads nothing', async (may) => {
  await using watched = await openTab('rich', 'resources', {}, may);
  const { page } = watched;
  await page.getByRole('list', { name: 'Templates' }).waitFor();
  expect(await page.getByRole('button', { name: /^(Open|Read)/ }).count()).toBe(0);
  await page.evaluate(`location.hash = '#/servers/rich?tab=prompts&prompt=packing'`);
  await page.getByRole('list', { name: 'Prompts' }).waitFor();
  expect(await page.getByRole('button', { name: /^(Open|Preview)/ }).count()).toBe(0);
  expect(watched.problems).toEqual([]);
});

test('one of hundreds of resources is found by its address or its texts, and the address of the page holds the words', async () => {
  await using watched = await openTab('many', 'resources');
  const { page } = watched;
  const entries = page.getByRole('list', { name: 'Resources' }).getByRole('listitem');
  await page.getByText('252 more are not shown. The filter finds them.').waitFor();
  expect(await entries.count()).toBe(200);
  const filter = page.getByRole('searchbox', { name: 'Filter the resources' });
  await filter.fill('Day-31');
  await page.getByText('11 of 452').waitFor();
  expect(page.url()).toContain('find-resources=Day-31');
  await filter.fill('the LAST');
  await page.getByText('1 of 452').waitFor();
  expect(await entries.textContent()).toContain('<img src=x onerror="window.attacked=1"> The last one.');
  await expectAccessible(page, 'filtered resources');
  await page.reload();
  await page.getByText('1 of 452').waitFor();
  await press(page, 'Open log://day-449');
  await page.getByRole('heading', { name: 'log://day-449' }).waitFor();
  await expectInert(watched);
});

test('by keyboard: a resource is opened and read', async () => {
  await using watched = await openTab('rich', 'resources');
  const { page } = watched;
  await enter(page.getByRole('button', { name: 'Open trip://1' }));
  await expect.poll(() => focusedText(page)).toBe('trip://1');
  await enter(page.getByRole('button', { name: 'Read', exact: true }));
  await page.getByText('"Ulm"').waitFor();
});

test('by keyboard: a prompt is opened, filled in with a suggestion, and previewed', async () => {
  await using watched = await openTab('rich', 'prompts');
  const { page } = watched;
  const preview = page.getByRole('button', { name: 'Preview', exact: true });
  await enter(page.getByRole('button', { name: 'Open packing' }));
  await expect.poll(() => focusedText(page)).toBe('packing');
  await enter(preview);
  await page.getByText('✕ Missing.').waitFor();
  await page.keyboard.type('3'); // the focus is in the field that is missing
  await page.keyboard.press('Tab');
  await page.keyboard.type('Ut');
  await enter(page.getByRole('button', { name: 'Utrecht' }), { maxPresses: 2 });
  await expect.poll(() => page.getByRole('textbox', { name: /^place/ }).inputValue()).toBe('Utrecht');
  await enter(preview);
  await page.getByRole('list', { name: 'Messages' }).getByText('Pack for 3 days in Utrecht.').waitFor();
  await expectInert(watched);
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 800 } }],
] as const)('%s: resources and prompts follow the rules of accessibility', async (_name, options) => {
  await using watched = await openTab('rich', 'resources', options);
  const { page } = watched;
  await press(page, 'Open trip://{id}');
  await page.getByRole('textbox', { name: 'id' }).fill('1');
  await press(page, 'Read');
  await page.getByText('"Ulm"').waitFor();
  await expectAccessible(page, 'a resource');
  await press(page, 'Open trip://bytes');
  await press(page, 'Read');
  await page.getByRole('group', { name: 'The first bytes' }).waitFor();
  await expectAccessible(page, 'bytes');
  await press(page, 'Prompts');
  await press(page, 'Open packing');
  await press(page, 'Preview');
  await page.getByText('✕ Missing.').waitFor();
  await page.getByRole('textbox', { name: /^days/ }).fill('3');
  await press(page, 'Preview');
  await page.getByText('Pack for 3 days').waitFor();
  await expectAccessible(page, 'a prompt');
});
