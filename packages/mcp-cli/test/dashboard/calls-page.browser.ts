import { text } from 'node:stream/consumers';
import type { BrowserContextOptions, Download, Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, type WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { dashboardStage } from '../helpers/dashboard-stage.js';
import { enter, focusedText, tabTo } from '../helpers/keyboard.js';
import { serveOn } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

const tools = `
tools:
  reviewer:
    role_restrictions:
      review: { allowed_tools: [rich.show] }
`;

const stage = browserStage([{ name: 'echo', server: 'echo' }], {
  files: { 'tools.yaml': tools },
  entries: {
    rich: fixtureEntry('rich-tools'),
    changing: fixtureEntry('rich-tools'),
    hostile: fixtureEntry('hostile-tools'),
  },
});

async function openCalls(
  query = '',
  options: BrowserContextOptions = {},
  may: 'look' | 'operate' | 'call' = 'call',
): Promise<WatchedPage> {
  const watched = await stage.open(`/calls${query}`, { ...options, may });
  await watched.page.getByRole('button', { name: 'Export as JSON lines' }).waitFor();
  return watched;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const rows = (page: Page) => page.locator('tbody tr');
const newest = (page: Page, tool: string) => page.getByRole('link', { name: tool, exact: true }).first();

/** The browser may be a process without a place for files that is known here: the file is read from it. */
async function linesOf(download: Download): Promise<readonly unknown[]> {
  const lines = (await text(await download.createReadStream())).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function recorded<Result>(work: () => Promise<Result>): Promise<Result> {
  await stage.control.recordCalls({ isOn: true });
  try {
    return await work();
  } finally {
    await stage.control.recordCalls({ isOn: false });
  }
}

test('records arguments and results only after a confirmation, and forgets them', async () => {
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'before' } });
  await using watched = await openCalls();
  const { page } = watched;
  await page.getByText('Arguments and results of calls are not kept.').waitFor();
  await newest(page, 'mcp__echo__echo').click();
  await page.getByText('Its arguments and result were not recorded.').waitFor();
  await press(page, 'Record …');
  await page.getByRole('dialog').getByText('in the memory of the daemon only').waitFor();
  await confirm(page, 'Record');
  await page.getByText('● recording').waitFor();
  await stage.control.call({
    tool: 'mcp__echo__echo',
    args: { text: 'seen', password: 'hunter22-secret', auth: 'Bearer abcdefghijklmnopqrstuvwxyz0123456789' },
  });
  await page.getByText('1 call,').waitFor();
  await newest(page, 'mcp__echo__echo').click();
  const detail = page.locator('.detail');
  await detail.getByRole('group', { name: 'Arguments' }).getByText('"seen"').waitFor();
  await detail.getByRole('list', { name: 'Stages of the call' }).getByText('server: stdio').waitFor();
  await detail.getByText('waits for a turn').waitFor();
  expect(await page.content()).not.toContain('hunter22');
  expect(await page.content()).not.toContain('abcdefghijklmnop');
  await press(page, 'Stop recording …');
  await confirm(page, 'Stop recording');
  await page.getByText('○ not recording').waitFor();
  await press(page, 'Forget …');
  await confirm(page, 'Forget');
  await detail.getByText('not kept any more').waitFor();
  expect(await stage.control.recordedCalls({ ids: [1, 2, 3] })).toEqual([]);
  expect(watched.problems).toEqual([]);
});

test.each(['look', 'operate'] as const)('a page that may %s sees what its key allows', async (may) => {
  await recorded(() => stage.control.call({ tool: 'mcp__echo__echo', args: { text: `for ${may}` } }));
  await using watched = await openCalls('', {}, may);
  const { page } = watched;
  await newest(page, 'mcp__echo__echo').click();
  if (may === 'look') {
    await page.getByText('This page can only look, and does not show them.').waitFor();
    expect(await page.getByRole('button', { name: /Record|Forget/ }).count()).toBe(0);
  } else {
    await page.getByRole('group', { name: 'Arguments' }).getByText(`"for ${may}"`).waitFor();
    await page.getByRole('button', { name: 'Record …' }).waitFor();
  }
  expect(await page.getByRole('link', { name: /Call it again/ }).count()).toBe(0);
  expect(watched.problems).toEqual([]);
});

test('calls are filtered by anything, and the address has the filters', async () => {
  await recorded(async () => {
    await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'a needle in hay' } });
    await stage.control.call({ tool: 'mcp__rich__show', args: {}, role: 'review' });
    await stage.control.call({ tool: 'mcp__rich__plan', args: {}, role: 'review' }).catch(() => undefined);
  });
  await using watched = await openCalls('?outcome=refused');
  const { page } = watched;
  await page.getByText(/^1 of the latest \d+ calls/).waitFor();
  await press(page, 'Clear');
  await page.getByRole('combobox', { name: 'Server' }).selectOption('rich');
  await page.getByRole('combobox', { name: 'Role' }).selectOption('review');
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('ok');
  expect(page.url()).toContain('server=rich&role=review&outcome=ok');
  await expect.poll(() => rows(page).count()).toBe(1);
  await press(page, 'Clear');
  await page.getByRole('searchbox', { name: 'Tool' }).fill('PLAN');
  await expect.poll(() => rows(page).count()).toBe(1);
  await press(page, 'Clear');
  const all = await rows(page).count();
  const took = page.getByRole('textbox', { name: 'Took' });
  await took.fill('> 20 min');
  await expect.poll(() => rows(page).count()).toBe(0);
  await took.fill('slow');
  await page.getByText('✕ A duration looks like').waitFor();
  expect(await took.getAttribute('aria-invalid')).toBe('true');
  await press(page, 'Clear');
  await page.getByLabel('Until').fill('2020-01-01T00:00:00');
  await expect.poll(() => rows(page).count()).toBe(0);
  await page.getByLabel('Until').fill('');
  await page.getByLabel('Since').fill('2020-01-01T00:00:00');
  await expect.poll(() => rows(page).count()).toBe(all);
  await press(page, 'Clear');
  await page.getByRole('searchbox', { name: 'Text' }).fill('NEEDLE');
  await expect.poll(() => rows(page).count()).toBe(1); // by what was recorded
  await page.reload();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(watched.problems).toEqual([]);
});

test('on a phone, all filters but the text are behind a button', async () => {
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'small' } });
  await using watched = await openCalls('?server=echo', { viewport: { width: 390, height: 800 } });
  const { page } = watched;
  const filters = page.locator('search');
  expect((await filters.boundingBox())?.height).toBeLessThan(90);
  expect(await page.getByLabel('Since').isVisible()).toBe(false);
  await press(page, 'More filters: 1');
  await page.getByRole('combobox', { name: 'Server' }).selectOption('');
  await press(page, 'Fewer filters');
  await page.getByRole('button', { name: 'More filters', exact: true }).waitFor();
  await expectAccessible(page, 'the filters of calls on a phone');
  expect(watched.problems).toEqual([]);
});

test('the shown calls are saved as JSON lines', async () => {
  await recorded(() => stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'to be saved' } }));
  await using watched = await openCalls('?q=saved');
  const { page } = watched;
  await expect.poll(() => rows(page).count()).toBe(1);
  const saved = page.waitForEvent('download');
  await press(page, 'Export as JSON lines');
  const download = await saved;
  expect(download.suggestedFilename()).toBe('mcpx-calls.jsonl');
  expect(await linesOf(download)).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-/),
      tool: 'mcp__echo__echo',
      server: 'echo',
      outcome: 'ok',
      durationMs: expect.any(Number),
      arguments: { text: 'to be saved' },
      result: expect.objectContaining({ content: expect.any(Array) }),
      stages: expect.arrayContaining([expect.objectContaining({ stage: 'server', transport: 'stdio' })]),
    },
  ]);
  expect(watched.problems).toEqual([]);
});

test('a call is repeated with changed arguments, as the client "dashboard"', async () => {
  await recorded(() =>
    stage.control.call({ tool: 'mcp__rich__erase', args: { path: '/tmp/first', token: 'secret-of-the-call' } }),
  );
  await using watched = await openCalls();
  const { page } = watched;
  await newest(page, 'mcp__rich__erase').click();
  await page.getByRole('link', { name: 'Call it again with these arguments' }).click();
  await page.getByText('Secrets were not recorded: replace each ***').waitFor();
  const path = page.getByRole('textbox', { name: /^path/ });
  expect(await path.inputValue()).toBe('/tmp/first');
  await path.fill('/tmp/second');
  await press(page, 'Run');
  await page.getByRole('dialog').getByText('Run “erase” of “rich”?').waitFor();
  await confirm(page, 'Run');
  await page.getByText('erased /tmp/second').waitFor();
  const calls = (await stage.recorder.snapshot()).calls;
  expect(calls.at(-1)).toMatchObject({ tool: 'mcp__rich__erase', client: expect.stringMatching(/^dashboard /) });
  expect(watched.problems).toEqual([]);
});

test('the structured content of a recorded call is checked against the schema of its tool', async () => {
  await recorded(() => stage.control.call({ tool: 'mcp__changing__show', args: {} }));
  await using watched = await openCalls();
  const { page } = watched;
  await newest(page, 'mcp__changing__show').click();
  await page.getByText('✓ fits its schema').waitFor();
  const schemaOf = async () => (await stage.control.describe({ tool: 'mcp__changing__show' })).tool.outputSchema;
  await stage.control.call({ tool: 'mcp__changing__erase', args: { path: 'schema' } });
  await expect.poll(schemaOf).toMatchObject({ required: ['currency'] });
  await page.getByRole('link', { name: 'Close', exact: true }).click();
  await newest(page, 'mcp__changing__show').click();
  await page.getByText('! does not fit its schema, which has changed since').waitFor();
  const faults = page.getByRole('list', { name: 'Faults of the structured content' }).getByRole('listitem');
  expect(await faults.allTextContents()).toEqual([
    '✕ /currency Missing: any value.',
    '✕ /total Must be a string, got a number.',
  ]);
  await expectAccessible(page, 'faults of structured content');
  expect(watched.problems).toEqual([]);
});

test('hostile arguments and results are text', async () => {
  const script = '<img src=x onerror="window.attacked=1">\u202e\u001b[2J';
  await recorded(() =>
    stage.control.call({ tool: 'mcp__hostile__scripted', args: { '<b>x</b>': script, [script]: script } }),
  );
  await using watched = await openCalls();
  const { page } = watched;
  await newest(page, 'mcp__hostile__scripted').click();
  await page.getByRole('group', { name: 'Arguments' }).getByText('U+202E').first().waitFor();
  await page.getByText('<script>window.attacked = 6</script>').first().waitFor();
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(await page.locator('main script, main iframe, main img, main style').count()).toBe(0);
  const { origin } = new URL(page.url());
  expect(watched.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(watched.problems).toEqual([]);
});

test('by keyboard: a call is opened, and the focus is on it', async () => {
  await recorded(() => stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'keys' } }));
  await using watched = await openCalls('?q=keys');
  const { page } = watched;
  await expect.poll(() => rows(page).count()).toBe(1);
  await enter(newest(page, 'mcp__echo__echo'));
  await page.getByRole('heading', { name: 'Call of mcp__echo__echo' }).waitFor();
  await expect.poll(() => focusedText(page)).toBe('Call of mcp__echo__echo');
});

test('by keyboard: the recording is switched on, calls are found and exported, and it is switched off', async () => {
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'before' } });
  await using watched = await openCalls();
  const { page } = watched;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  await enter(button('Record …'));
  await enter(dialog.getByRole('button', { name: 'Record', exact: true }));
  await page.getByText('● recording').waitFor();
  await expect.poll(() => focusedText(page)).toBe('Stop recording …'); // stays on the switch
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'found by its text' } });
  await tabTo(page.getByRole('searchbox', { name: 'Text' }));
  await page.keyboard.type('found by its text');
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focusedText(page)).toBe('Export as JSON lines');
  const saved = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect(await linesOf(await saved)).toMatchObject([{ arguments: { text: 'found by its text' } }]);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focusedText(page)).toBe('Stop recording …');
  await page.keyboard.press('Enter');
  await enter(dialog.getByRole('button', { name: 'Stop recording', exact: true }));
  await page.getByText('○ not recording').waitFor();
  await expect.poll(() => focusedText(page)).toBe('Record …');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await enter(dialog.getByRole('button', { name: 'Forget', exact: true }));
  await page.getByText('Arguments and results of calls are not kept.').waitFor();
  expect(watched.problems).toEqual([]);
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 800 } }],
] as const)('%s: calls and a recorded call follow the rules of accessibility', async (_name, options) => {
  await recorded(async () => {
    await stage.control.call({ tool: 'mcp__rich__show', args: {}, role: 'review' });
    await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x'.repeat(500) } });
  });
  await using watched = await openCalls('', options);
  const { page } = watched;
  await newest(page, 'mcp__rich__show').click();
  await page.getByRole('list', { name: 'Stages of the call' }).waitFor();
  await expectAccessible(page, 'a recorded call');
});

test('the stages of a call through the gateway of another daemon are below those of its server', async () => {
  await using there = await daemonStage([{ name: 'shelf', server: 'echo' }]);
  const command = serveOn(there, ['--http', '--port', '0', '--no-token']);
  try {
    const [, url = ''] = await until(() => /Serving 1 server at (\S+)\n/.exec(command.stderr()) ?? undefined);
    await using here = await dashboardStage([], {
      pageDirectory: inject('pageDirectory'),
      entries: { build: { url, auto_start: true } },
    });
    await here.control.start();
    await here.control.recordCalls({ isOn: true });
    const result = await here.control.call({ tool: 'mcp__build__mcp__shelf__echo', args: { text: 'far' } });
    expect(JSON.stringify(result)).not.toContain('mcpx/stages');
    await using watched = await openPage(stage.browser, here.dashboard.newLink('call').url);
    const { page } = watched;
    await page.locator('.card').first().waitFor();
    await page.evaluate('location.hash = "#/calls/1"');
    const stages = page.getByRole('list', { name: 'Stages of the call' }).getByRole('listitem');
    await stages.filter({ hasText: 'gateway: waits for a turn at shelf' }).waitFor();
    await stages.filter({ hasText: 'gateway: server: stdio' }).waitFor();
    const texts = await stages.allTextContents();
    const own = texts.findIndex((text) => text.startsWith('server: http'));
    expect(texts.findIndex((text) => text.includes('gateway:'))).toBeGreaterThan(own);
    await expectAccessible(page, 'the stages of a gateway');
    expect(watched.problems).toEqual([]);
  } finally {
    command.interrupt();
    await command.ended;
  }
});
