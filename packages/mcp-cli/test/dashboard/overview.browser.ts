// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config has a variable
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject, test, vi } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, type WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { dashboardFleet, serverRow } from '../helpers/dashboard-fleet.js';
import { enter, tabTo } from '../helpers/keyboard.js';

const tools = `
tools:
  reviewer:
    mcp_tools: { required: [echo], recommended: [absent] }
    role_restrictions:
      review: { allowed_tools: [echo.echo] }
      careful: { allowed_tools: [echo.echo], ask_before: [echo] }
`;

const stage = browserStage(
  [
    { name: 'echo', server: 'echo' },
    { name: 'dead', server: 'exits-at-once', args: ['--stderr', '<img src=x onerror="window.attacked = 9">\u202e'] },
    { name: 'unset', server: 'echo', fields: { env: { TOKEN: '${env:OVERVIEW_TOKEN}' } } },
  ],
  { files: { 'tools.yaml': tools }, entries: { hostile: fixtureEntry('hostile-tools') } },
);
vi.setConfig({ testTimeout: 120_000 });

async function openOverview(
  options: BrowserContextOptions = {},
  may: 'look' | 'operate' | 'call' = 'call',
): Promise<WatchedPage> {
  const watched = await openPage(stage.browser, stage.dashboard.newLink(may).url, options);
  await watched.page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  return watched;
}

const attention = (page: Page) => page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('what needs attention comes first, with what to do, and hostile texts as text', async () => {
  await stage.control.setTrust({ mode: 'approve', servers: ['hostile'] });
  const withdrawn = new AbortController();
  const { signal } = withdrawn;
  const call = stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'careful', signal });
  try {
    await using watched = await openOverview();
    const { page } = watched;
    const failed = attention(page).filter({ has: page.getByRole('link', { name: 'dead' }) });
    await failed.getByText('Failed').waitFor();
    expect(await attention(page).first().textContent()).toContain('dead');
    await failed.getByText(/its log/i).waitFor();
    await failed.getByText('U+202E').waitFor();
    await attention(page).filter({ hasText: 'Not set up' }).getByText('needs OVERVIEW_TOKEN').waitFor();
    await attention(page).getByText('1 call waits for your approval').first().waitFor();
    await attention(page)
      .getByText(/^! \d tools held back$/)
      .waitFor();
    await attention(page)
      .getByText(/in the config$/)
      .first()
      .waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    await failed.getByRole('button', { name: 'Start dead' }).click();
    await page.getByRole('dialog').getByText('Start “dead”?').waitFor();
    await page.keyboard.press('Escape');
    await failed.getByRole('link', { name: 'dead' }).click();
    await page.getByRole('heading', { name: 'dead', exact: true }).waitFor();
    expect(watched.problems).toEqual([]);
  } finally {
    withdrawn.abort(new Error('given up'));
    await call.catch(() => undefined);
    await stage.control.setTrust({ mode: 'all', servers: ['hostile'] });
  }
});

test('use is shown by server, tool, client and role over a span, as charts and as a table', async () => {
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'review' });
  await stage.control.call({ tool: 'mcp__echo__fail', args: {} });
  await using watched = await openOverview();
  const { page } = watched;
  const row = (name: string) => page.locator('table.usage').getByRole('row').filter({ hasText: name });
  await row('echo').getByRole('link', { name: 'echo' }).waitFor();
  await page.getByRole('img', { name: /^Calls over time: \d+ calls, \d+ errors?$/ }).waitFor();
  await page.getByRole('img', { name: /^Durations over time: p50 .* last$/ }).waitFor();
  await press(page, 'Tool');
  await row('mcp__echo__fail').waitFor();
  expect(await row('mcp__echo__fail').locator('.error').textContent()).toBe('1');
  await press(page, 'Role');
  await row('review').waitFor();
  await press(page, '5 minutes');
  expect(page.url()).toMatch(/#\/overview\?(by=roles&span=5m|span=5m&by=roles)$/);
  await row('review').waitFor();
  await page.getByText('The charts as a table').click();
  const latest = page.locator('details table tbody tr');
  await latest.first().waitFor();
  expect(await latest.count()).toBe(30);
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'review' });
  await row('review').locator('[data-label=Calls]').getByText('2', { exact: true }).waitFor(); // it is live
  await page.reload();
  await row('review').waitFor(); // the address has the choice
  expect(watched.problems).toEqual([]);
});

test('nothing needs attention of servers that run', async () => {
  await using fleet = await dashboardFleet([serverRow('one'), serverRow('two')], {
    pageDirectory: inject('pageDirectory'),
  });
  await using watched = await openPage(stage.browser, fleet.dashboard.newLink('look').url);
  await watched.page.getByText('2 servers: 2 running. ✓ Nothing needs attention.').waitFor();
  fleet.change(serverRow('two', { health: 'unhealthy', healthError: 'no pong <b>' } as never));
  await attention(watched.page).getByText('no pong <b>').waitFor();
  expect(await watched.page.getByRole('button', { name: /Restart/ }).count()).toBe(0); // it can only look
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 844 } }],
] as const)('%s: the overview follows the rules of accessibility', async (_name, options) => {
  await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'review' });
  await using watched = await openOverview(options);
  const { page } = watched;
  await page.locator('table.usage tbody tr').first().waitFor();
  await attention(page).first().waitFor();
  const box = (part: string) => page.locator(part).first().boundingBox();
  if ('viewport' in options) expect((await box('header'))?.height).toBeLessThan(160);
  else expect((await box('.attention-bad > p'))?.x).toBeGreaterThan(300); // beside the name
  await page.getByText('The charts as a table').click();
  await expectAccessible(page, 'overview');
  expect(watched.problems).toEqual([]);
});

test('keyboard alone: read a span, and go to what failed', async () => {
  await using watched = await openOverview();
  const { page } = watched;
  await attention(page).first().waitFor();
  await page.locator('table.usage').or(page.getByText('No server was called')).first().waitFor();
  await tabTo(page.getByRole('button', { name: '24 hours' }));
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: '24 hours', pressed: true }).waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).focus();
  await enter(attention(page).getByRole('link', { name: 'dead', exact: true }));
  await page.getByRole('heading', { name: 'dead', exact: true }).waitFor();
  expect(watched.problems).toEqual([]);
});
