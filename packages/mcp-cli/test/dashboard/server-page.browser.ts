import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

const stage = browserStage(
  [
    { name: 'echo', server: 'echo' },
    { name: 'dead', server: 'exits-at-once', args: ['--stderr', 'last words'], fields: { auto_start: false } },
    { name: 'manual', server: 'echo' },
    { name: 'secret', server: 'echo', args: ['--first'], fields: { auto_start: false, env: { GITHUB_TOKEN: token } } },
  ],
  { entries: { rich: fixtureEntry('rich-tools'), hostile: fixtureEntry('hostile-tools') } },
);

async function openServer(name: string, options = {}): Promise<WatchedPage> {
  const watched = await stage.open(`/servers/${name}`, options);
  await watched.page.getByRole('heading', { name, exact: true }).waitFor();
  return watched;
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

test('a server shows its tools, resources and prompts, and leads to a tool', async () => {
  await using watched = await openServer('rich');
  const { page } = watched;
  await press(page, 'Resources');
  await page.getByRole('list', { name: 'Resources' }).getByText('trip://1').first().waitFor();
  await page.getByText('trip: The <b>first</b> trip.').waitFor();
  await page.getByRole('list', { name: 'Templates' }).getByText('trip://{id}').first().waitFor();
  await press(page, 'Prompts');
  await page.getByRole('list', { name: 'Prompts' }).getByText('packing(days, place?)').first().waitFor();
  await press(page, /^Tools/);
  expect(page.url()).toMatch(/#\/servers\/rich\?tab=tools$/);
  await page.getByRole('link', { name: 'show of rich' }).click();
  await page.getByRole('heading', { name: 'show', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'plan of rich' }).waitFor();
  expect(watched.problems).toEqual([]);
});

test('a server shows its memory over time, and the figures in words', async () => {
  await using watched = await openServer('rich');
  const { page } = watched;
  await stage.recorder.sample();
  const chart = page.getByRole('img', { name: /^Memory: \d+ MB last, \d+ MB at most$/ });
  await chart.waitFor();
  await expect.poll(() => chart.locator('path').getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+.*H240$/);
  expect((await chart.boundingBox())?.height).toBeGreaterThan(20);
  await page.getByText(/^\d+ MB now$/).waitFor();
  const { memoryBytes = 0 } = (await stage.recorder.snapshot()).servers.find(({ name }) => name === 'rich') ?? {};
  expect(memoryBytes).toBeGreaterThan(10_000_000);
  expect(watched.problems).toEqual([]);
});

test('a server shows who calls it', async () => {
  await stage.control.call({ tool: 'mcp__rich__show', args: {} });
  await stage.control.call({ tool: 'mcp__rich__show', args: {} });
  await stage.control.call({ tool: 'mcp__echo__fail', args: {} });
  await using watched = await openServer('rich');
  const { page } = watched;
  await press(page, 'Calls');
  await page.getByRole('list', { name: 'Callers' }).getByText('2 calls').waitFor();
  const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
  expect(await calls.filter({ hasText: 'show' }).count()).toBe(2);
  expect(await calls.filter({ hasText: 'fail' }).count()).toBe(0);
  await stage.control.call({ tool: 'mcp__rich__show', args: {} });
  await page.getByRole('list', { name: 'Callers' }).getByText('3 calls').waitFor();
  await press(page, 'State and log');
  await page.getByText(/^\d+ calls, 0 errors, 0 refused, p50 .*, p95 .*s$/).waitFor();
  expect(watched.problems).toEqual([]);
});

test('a server that fails comes first, and says when and why it changed', async () => {
  await using watched = await openServer('dead');
  const { page } = watched;
  await press(page, 'Start');
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  await page.locator('.card').first().getByRole('link', { name: 'dead' }).waitFor();
  const history = page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
  await history.filter({ hasText: 'tools withdrawn' }).waitFor();
  const texts = (await history.allTextContents()).toReversed();
  expect(texts[0]).toMatch(/^\d\d:\d\d:\d\dstarts$/);
  expect(texts[1]).toMatch(/^\d\d:\d\d:\d\dstart failedexited .*"last words".*next attempt in .* s$/);
  expect(texts[2]).toMatch(/^\d\d:\d\d:\d\dstarts again$/);
  expect(texts.at(-1)).toMatch(/tools withdrawnexited /);
  expect(watched.problems).toEqual([]);
});

test('a server says what happened to it: a start for a call, a stop, a crash', async () => {
  const history = (page: Page) => page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
  await stage.control.stop({ servers: ['manual'] });
  await using watched = await openServer('manual');
  const { page } = watched;
  const { content } = await stage.control.call({ tool: 'mcp__manual__pid', args: {} });
  await history(page).filter({ hasText: 'startsA call waits for it' }).waitFor();
  await history(page)
    .filter({ hasText: /readyprocess \d+, 8 tools$/ })
    .first()
    .waitFor();
  process.kill(Number((content[0] as { readonly text: string }).text), 'SIGKILL');
  await history(page)
    .filter({ hasText: /crashed.*SIGKILL/ })
    .waitFor();
  await history(page)
    .filter({ hasText: /starts again$/ })
    .waitFor();
  await stage.control.stop({ servers: ['manual'] });
  await expect.poll(() => history(page).first().textContent()).toMatch(/stopped$/);
  await expectAccessible(page, 'what happened to a server');
  expect(watched.problems).toEqual([]);
});

test('the config of a server is shown with its place, without secrets, and with what is not in effect', async () => {
  const file = join(stage.folder, 'mcp_servers.yaml');
  const before = await readFile(file, 'utf8');
  await using watched = await openServer('secret');
  const { page } = watched;
  await press(page, 'Config');
  const entry = page.getByRole('region', { name: 'Entry' });
  await entry.getByText('"GITHUB_TOKEN"').waitFor();
  await page.getByText('It starts like that.').or(page.getByText('It runs like that.')).waitFor();
  const line = before.split('\n').findIndex((text) => text.includes('"secret"')) + 1;
  await page.getByText(`${file}:${line}`).waitFor();
  expect(await entry.textContent()).not.toContain('"hostile"');
  try {
    await writeFile(file, before.replace('"--first"', '"<i>second</i>"'));
    await press(page, /^Tools/);
    await press(page, 'Config');
    const difference = page.getByRole('list', { name: 'Fields that are not in effect' }).getByRole('listitem');
    await difference.filter({ hasText: 'args' }).getByText('<i>second</i>').waitFor();
    expect(await difference.count()).toBe(1);
    await expectAccessible(page, 'the config of a server');
    expect(await page.content()).not.toContain(token);
    await writeFile(file, before.replace('"secret"', '"renamed"'));
    await press(page, /^Tools/);
    await press(page, 'Config');
    await page.getByText('The files have no such entry any more.').waitFor();
    expect(await page.locator('.detail i').count()).toBe(0);
  } finally {
    await writeFile(file, before);
  }
  expect(watched.problems).toEqual([]);
});

test('the config of a server leads to the form of its settings', async () => {
  await using watched = await openServer('secret');
  const { page } = watched;
  await press(page, 'Config');
  await page.getByRole('link', { name: 'Change its settings' }).press('Enter');
  await page.getByRole('heading', { name: /secret/ }).waitFor();
  await page.getByText('priority', { exact: true }).waitFor();
  expect(page.url()).toMatch(/#\/config\/secret$/);
  expect(watched.problems).toEqual([]);
});

test('the log shows the lines that a filter wants', async () => {
  await using watched = await openServer('hostile');
  const { page } = watched;
  const log = page.getByRole('log');
  await log.getByText('window.attacked = 4').waitFor();
  await page.getByRole('searchbox', { name: 'Filter the lines' }).fill('NOWHERE');
  await page.getByText(/^0 of the last \d+ lines$/).waitFor();
  expect(await log.getByText('window.attacked = 4').count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Filter the lines' }).fill('ATTACKED');
  await log.getByText('window.attacked = 4').waitFor();
  expect(watched.problems).toEqual([]);
});

test('the log has the messages that a server sends by the protocol, by their level', async () => {
  await using watched = await openServer('rich');
  const { page } = watched;
  await stage.control.call({ tool: 'mcp__rich__show', args: {} });
  const log = page.getByRole('log');
  const warning = log.locator('div', { hasText: '{"message":"a trip has no city","trip":7}' }).last();
  await warning.waitFor();
  expect(await warning.textContent()).toMatch(/^warning trips \{/);
  await log.getByText('reads the trips').first().waitFor();
  const level = page.getByRole('combobox', { name: 'Lines that are shown' });
  await level.focus();
  await page.keyboard.type('only messages: warning');
  await expect.poll(() => log.getByText('reads the trips').count()).toBe(0);
  expect(await warning.count()).toBe(1);
  expect(page.url()).toContain('level=warning');
  await page.reload();
  await warning.waitFor();
  expect(await log.getByText('reads the trips').count()).toBe(0);
  await level.selectOption('stderr');
  await expect.poll(() => log.locator('div').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});

test('a hostile log message is shown as text', async () => {
  await using watched = await openServer('hostile');
  const { page } = watched;
  await page.getByRole('log').getByText('logged <img src=x').waitFor();
  await expectAccessible(page, 'hostile log messages');
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(await page.locator('.log img, .log a').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 360, height: 720 } }],
] as const)('%s: every part of a server follows the rules of accessibility', async (_name, options) => {
  await stage.control.call({ tool: 'mcp__rich__show', args: {} });
  await using watched = await openServer('rich', options);
  const { page } = watched;
  for (const part of [/^Tools/, 'Resources', 'Prompts', 'Calls', 'State and log'] as const) {
    await press(page, part);
    if (part !== 'Calls' && part !== 'State and log') await page.locator('.detail .dense li').first().waitFor();
    await expectAccessible(page, String(part));
  }
  expect(watched.problems).toEqual([]);
});
