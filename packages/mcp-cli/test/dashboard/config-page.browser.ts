import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testServer } from '@x/test-servers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, type WatchedPage } from '../helpers/browser.js';
import { browserStage } from '../helpers/browser-stage.js';
import { replaceFile } from '../helpers/replace-file.js';

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
    tools:
      echo: { title: "${turned}", description: Says it again }
      gone: { hidden: true }

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

const tools = `tools:
  reviewer:
    mcp_tools: { required: [echo] }
    role_restrictions:
      '${odd}': { allowed_tools: [echo.echo] }
      all: { allowed_tools: [echo] }
`;

const stage = browserStage([], {
  // In place of the file that the stage writes.
  files: { 'mcp_servers.yaml': servers(), 'tools.yaml': tools },
  follows: true,
  starts: false,
});

const file = () => join(stage.folder, 'mcp_servers.yaml');
const text = (page: Page) => page.getByRole('region', { name: `Text of ${file()}` });

async function openConfig(may: 'look' | 'operate' | 'call' = 'operate', options = {}): Promise<WatchedPage> {
  const watched = await openPage(stage.browser, stage.dashboard.newLink(may).url, options);
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
  await replaceFile(file(), lines.join('\n'));
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
    await replaceFile(file(), servers());
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

async function openEditor(server: string, may: 'look' | 'operate' = 'operate', options = {}): Promise<WatchedPage> {
  const watched = await openConfig(may, options);
  await watched.page.getByRole('link', { name: server, exact: true }).click();
  await watched.page.getByRole('heading', { name: `Settings of ${server}` }).waitFor();
  return watched;
}

test.each(['look', 'operate'] as const)(
  'the settings name roles and overrides, which no page changes: %s',
  async (may) => {
    await using watched = await openEditor('echo', may);
    const { page } = watched;
    const part = page.getByRole('region', { name: 'Roles and overrides' });
    await stage.control.start({ servers: ['echo'] });
    try {
      await part.getByText(`${odd}: 1 of 8 tools`).waitFor();
      await part.getByText('all: all of 8 tools').waitFor();
      const texts = part.getByRole('list', { name: 'Texts of tools by the config' });
      await texts.getByText('Title: U+202EevilU+200B<b>bold</b>').waitFor();
      const unmatched = texts.getByRole('listitem').filter({ hasText: 'gone' });
      await unmatched.getByText('hidden').waitFor();
      await unmatched.getByText('the server has no such tool').waitFor();
      expect(await part.locator('button, input, b').count()).toBe(0);
      await expectAccessible(page, 'roles and overrides');
      await part.getByRole('link', { name: odd }).press('Enter');
      await page.getByText('8 known tools').waitFor();
      expect(await page.getByRole('combobox', { name: 'Role', exact: true }).inputValue()).toBe(odd);
    } finally {
      await stage.control.stop({ servers: ['echo'] });
    }
    expect(watched.problems).toEqual([]);
  },
);

const preview = (page: Page) => page.getByRole('region', { name: 'What saving does' });
const difference = (page: Page) => page.getByRole('dialog').getByRole('region', { name: 'Difference of the file' });

test('keyboard alone: a setting is changed, its effect is shown, it is saved, and taken back', async () => {
  await using watched = await openEditor('echo');
  const { page } = watched;
  const priority = page.getByRole('textbox', { name: 'priority' });
  expect(await priority.inputValue()).toBe('5');
  await priority.focus();
  await page.keyboard.press('End');
  await page.keyboard.type('00');
  await page.keyboard.press('Tab');
  await page.locator('.fault').getByText('100').waitFor();
  await preview(page).getByText('It cannot be saved').waitFor();
  await priority.focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('7');
  await preview(page).getByText('+    priority: 7 # first').waitFor();
  await preview(page).getByRole('list', { name: 'Effects' }).getByText('“echo” has the new values').waitFor();
  await page.keyboard.press('Enter'); // a text has several lines, a number does not
  await difference(page).getByText('-    priority: 5 # first').waitFor();
  await expectAccessible(page, 'the question before an edit');
  expect(await readFile(file(), 'utf8')).toBe(servers());
  await page.keyboard.press('Tab');
  while ((await page.evaluate('document.activeElement?.textContent')) !== 'Save') await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('“echo” is saved, and in effect.').waitFor();
  expect(await readFile(file(), 'utf8')).toBe(servers().replace('priority: 5', 'priority: 7'));
  await text(page).getByText('priority: 7 # first').waitFor();
  await preview(page).getByText('Nothing is changed yet.').waitFor();
  await page.getByRole('button', { name: 'Undo the latest edit' }).press('Enter');
  await difference(page).getByText('+    priority: 5 # first').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).press('Enter');
  await page.getByRole('status').getByText('The edit of “echo” is taken back, and in effect.').waitFor();
  expect(await readFile(file(), 'utf8')).toBe(servers());
  await preview(page).getByText('Nothing is changed yet.').waitFor();
  expect(watched.problems).toEqual([]);
});

test('a file that changes between the preview and Save is not written, and there is a new preview', async () => {
  await using watched = await openEditor('echo');
  const { page } = watched;
  try {
    await page.getByRole('combobox', { name: 'auto_start' }).selectOption('false');
    await preview(page).getByText('-    auto_start: true').waitFor();
    await page.getByRole('button', { name: 'Save …' }).click();
    await difference(page).waitFor();
    await replaceFile(file(), `${servers()}# theirs\n`);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('has changed since this preview').waitFor();
    expect(await readFile(file(), 'utf8')).toBe(`${servers()}# theirs\n`);
    await text(page).getByText('# theirs').waitFor();
    await page.getByRole('button', { name: 'Save …' }).click();
    await difference(page).getByText('-    auto_start: true').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('“echo” is saved').waitFor();
    expect(await readFile(file(), 'utf8')).toContain('auto_start: false');
    expect(await readFile(file(), 'utf8')).toContain('# theirs');
  } finally {
    await replaceFile(file(), servers());
  }
  expect(watched.problems.filter((text) => !text.includes('409'))).toEqual([]);
});

test('a page that only looks shows the values, and hostile names and values literally', async () => {
  await using watched = await openEditor(odd, 'look');
  const { page } = watched;
  const panel = page.getByRole('region', { name: `Settings of ${odd}` });
  await panel.getByText('U+202E').first().waitFor();
  expect(await panel.locator('b').count()).toBe(0);
  expect(await panel.getByRole('button').count()).toBe(0);
  expect(await panel.getByRole('textbox').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});

test.each([
  ['light', 'light', 1_280],
  ['dark', 'dark', 1_280],
  ['on a phone', 'light', 360],
] as const)('the editor with a preview follows the rules of axe: %s', async (what, colorScheme, width) => {
  await using watched = await openEditor(odd, 'operate', { colorScheme, viewport: { width, height: 800 } });
  const { page } = watched;
  await page.getByRole('button', { name: 'Add an item to tags' }).click();
  await page.getByRole('textbox', { name: 'tags[1]' }).fill(`${turned} ${'long'.repeat(80)}`);
  await preview(page).getByText('longlong').first().waitFor();
  expect(await preview(page).locator('b').count()).toBe(0);
  await expectAccessible(page, `editor ${what}`);
  expect(watched.problems).toEqual([]);
});

test('a new server: its command is composed by keyboard, nothing of it is sent, and it appears once it is there', async () => {
  await using watched = await openConfig();
  const { page } = watched;
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.getByRole('link', { name: 'Add a server …' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Add a server' });
  await panel.getByRole('textbox', { name: /^name/ }).focus();
  await page.keyboard.type('fresh');
  await page.keyboard.press('Tab');
  await page.keyboard.type('fresh-program --verbose');
  await panel.getByRole('button', { name: 'Add env' }).press('Enter');
  await panel.getByRole('button', { name: 'Add an item to env' }).press('Enter');
  await panel.getByRole('textbox', { name: 'env[0]' }).fill(`GITHUB_TOKEN=${token}`);
  await page.keyboard.press('Tab');
  await panel.getByText('Write GITHUB_TOKEN alone').waitFor();
  await panel.getByRole('textbox', { name: 'env[0]' }).fill('GITHUB_TOKEN');
  const line = panel.getByRole('region', { name: 'Run this in a terminal' });
  await line.getByText('mcpx add fresh --env GITHUB_TOKEN -- fresh-program --verbose').waitFor();
  await panel.getByText(`Run it in ${stage.folder}.`).waitFor();
  await expectAccessible(page, 'a new server');
  expect(sent.filter((request) => /fresh|ghp_/.test(request))).toEqual([]);
  await replaceFile(file(), servers('  fresh: { command: fresh-program, disabled: true }\n'));
  try {
    await panel.getByRole('link', { name: 'fresh', exact: true }).waitFor();
    await line.getByText('mcpx add fresh').waitFor();
  } finally {
    await replaceFile(file(), servers());
  }
  await panel.getByRole('button', { name: 'URL' }).click();
  await panel.getByRole('textbox', { name: /^url/ }).fill('https://example.com/mcp');
  await line.getByText('mcpx add fresh https://example.com/mcp').waitFor();
  await panel.getByRole('button', { name: 'From an app' }).click();
  await line.getByText('mcpx import').waitFor();
  await panel.getByRole('textbox', { name: /^app/ }).fill('cursor');
  await panel.getByRole('textbox', { name: /^server/ }).fill('echo');
  await page.keyboard.press('Tab');
  await panel.getByText('There is a server of this name').waitFor();
  await panel.getByRole('textbox', { name: /^server/ }).fill('github');
  await line.getByText('mcpx add github --from cursor').waitFor();
  await panel.getByText('Secrets of the app’s entry become variables').waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await expectAccessible(page, 'a new server on a phone');
  expect(watched.problems).toEqual([]);
});
