import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, showServers, type WatchedPage } from '../helpers/browser.js';
import { type DashboardFleet, dashboardFleet, serverRow } from '../helpers/dashboard-fleet.js';
import { sharedBrowser } from '../helpers/shared-browser.js';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
let fleet: DashboardFleet;

beforeAll(async () => {
  const rows = Array.from({ length: 200 }, (_, index) =>
    serverRow(`server-${index}`, index % 10 === 0 ? { state: 'failed', lastError: 'no such file' } : {}),
  );
  [browser, fleet] = await Promise.all([
    sharedBrowser(),
    dashboardFleet(rows, { pageDirectory: inject('pageDirectory') }),
  ]);
  const base = { time: new Date().toISOString(), action: 'call', decision: 'allowed', client: 'editor 1.0' };
  for (let call = 0; call < 200; call += 1) {
    const event = { ...base, argumentShape: { known: {}, others: 0 }, call, server: `server-${call}` };
    const outcome = call % 20 === 0 ? 'failed' : 'ok';
    fleet.calls.sink({ ...event, name: `mcp__server-${call}__tool`, outcome, durationMs: call } as never);
  }
});

afterAll(async () => {
  await browser?.close();
  await fleet?.[Symbol.asyncDispose]();
});

const tables = {
  servers: { show: showServers, columns: 10, cells: 10, last: 'server-199', item: /^server-\d+$/ },
  calls: {
    show: (page: Page) => page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click(),
    columns: 6,
    cells: 1_200, // content of rows out of sight is there, too
    last: 'mcp__server-0__tool',
    item: /^mcp__server-\d+__tool$/,
  },
} as const;

type Name = keyof typeof tables;

async function openTable(name: Name, options: Parameters<typeof openPage>[2] = {}): Promise<WatchedPage> {
  const watched = await openPage(browser, fleet.dashboard.newLink('look').url, options);
  await tables[name].show(watched.page);
  await watched.page.locator('.long-table tbody tr').nth(199).waitFor({ state: 'attached' });
  return watched;
}

/** Counts of roles in the tree that the browser gives to screen readers. */
async function rolesOf(page: Page): Promise<Readonly<Record<string, number>>> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const counts: Record<string, number> = {};
  for (const { ignored, role } of nodes) {
    if (!ignored && role) counts[role.value] = (counts[role.value] ?? 0) + 1;
  }
  return counts;
}

const focused = (page: Page) => page.evaluate('document.activeElement?.textContent ?? ""') as Promise<string>;

async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (typeof text === 'string' ? now === text : text.test(now)) return;
  }
  throw new Error(`Tab does not reach ${text}`);
}

describe.each(Object.keys(tables) as Name[])('the table of 200 %s', (name) => {
  const { columns, cells, last, item } = tables[name];

  test('is a table for screen readers, with the rows out of sight', async () => {
    await using watched = await openTable(name);
    const roles = await rolesOf(watched.page);
    expect(roles).toMatchObject({ table: 1, row: 201, columnheader: columns });
    expect(roles.cell).toBeGreaterThanOrEqual(cells);
  });

  test('has its last row found by the search of the browser', async () => {
    await using watched = await openTable(name);
    const { page } = watched;
    const row = page.locator('tbody tr').filter({ has: page.getByText(last, { exact: true }) });
    const top = async (): Promise<number> => (await row.boundingBox())?.y ?? Number.NaN;
    const height = page.viewportSize()?.height ?? 0;
    expect(await top()).toBeGreaterThan(height);
    expect(await page.evaluate(`find(${JSON.stringify(last)})`)).toBe(true);
    await expect.poll(top).toBeLessThanOrEqual(height);
  });

  test('by keyboard: a row out of sight is reached and opened', async () => {
    await using watched = await openTable(name);
    const { page } = watched;
    await tabTo(page, item);
    for (let row = 1; row < 60; row += 1) await page.keyboard.press('Tab');
    const reached = await focused(page);
    expect(reached).toMatch(item);
    expect(
      await page.evaluate(
        '(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())',
      ),
    ).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('.detail').getByRole('heading', { name: reached }).first().waitFor();
    expect(page.url()).toContain(name === 'servers' ? `/${reached}` : '#/calls/');
    expect(watched.problems).toEqual([]);
  });

  test.each([
    ['in light', { colorScheme: 'light' }],
    ['in dark', { colorScheme: 'dark' }],
    ['as wide as a phone', { viewport: { width: 390, height: 800 } }],
  ] as const)('%s: it follows the rules of accessibility', async (_name, options) => {
    await using watched = await openTable(name, options);
    await expectAccessible(watched.page, `the table of ${name}`);
  });
});

describe('the list of calls while more of them come', () => {
  /** More than the list can keep, and all at once. */
  const flood = (first: number, count = 250) => {
    const base = { time: new Date().toISOString(), action: 'call', decision: 'allowed', client: 'editor 1.0' };
    for (let call = first; call < first + count; call += 1) {
      const event = { ...base, argumentShape: { known: {}, others: 0 }, call, server: 'server-1' };
      fleet.calls.sink({ ...event, name: `mcp__server-1__flood-${call}`, outcome: 'ok', durationMs: 1 } as never);
    }
  };
  const toolOf = (page: Page, index: number) => page.locator('.call-table tbody a').nth(index);
  const held = (page: Page) => page.locator('#calls-held');

  test('is held while the pointer is in it, so that a row can be clicked, and stays open', async () => {
    await using watched = await openTable('calls');
    const { page } = watched;
    await held(page).getByText('New calls appear on top').waitFor();
    const before = await toolOf(page, 3).textContent();
    await toolOf(page, 3).hover();
    flood(1_000);
    await held(page).getByText('Held: 250 new calls').waitFor();
    expect(await toolOf(page, 3).textContent()).toBe(before);
    await expectAccessible(page, 'a held list');
    await page.mouse.down();
    await page.mouse.up();
    await page
      .locator('.detail')
      .getByRole('heading', { name: `Call of ${before}` })
      .waitFor();
    await page.mouse.move(5, 5);
    await held(page).getByText('New calls appear on top').waitFor();
    await expect.poll(() => toolOf(page, 0).textContent()).toBe('mcp__server-1__flood-1249');
    await page
      .locator('.detail')
      .getByRole('heading', { name: `Call of ${before}` })
      .waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('is held while the focus is in it, and still filtered', async () => {
    await using watched = await openTable('calls');
    const { page } = watched;
    await tabTo(page, /^mcp__/);
    const reached = await focused(page);
    flood(2_000);
    await held(page).getByText('Held: 250 new calls').waitFor();
    expect(await focused(page)).toBe(reached);
    expect(await toolOf(page, 0).textContent()).toBe(reached);
    await page.keyboard.press('Shift+Tab');
    await held(page).getByText('New calls appear on top').waitFor();
    await expect.poll(() => toolOf(page, 0).textContent()).toBe('mcp__server-1__flood-2249');
    await toolOf(page, 0).hover();
    await page.getByRole('searchbox', { name: 'Tool' }).evaluate((box: HTMLInputElement) => box.focus());
    await page.keyboard.type('flood-2249');
    await expect.poll(() => page.locator('.call-table tbody tr').count()).toBe(1);
    expect(watched.problems).toEqual([]);
  });
});

test('by keyboard: servers are sorted by a column, in the order that is announced', async () => {
  await using watched = await openTable('servers');
  const { page } = watched;
  await tabTo(page, 'p95');
  await page.keyboard.press('Enter');
  await page.getByRole('columnheader', { name: 'p95' }).and(page.locator('[aria-sort=descending]')).waitFor();
  expect(await focused(page)).toContain('p95'); // the focus stays
  await page.keyboard.press('Space');
  await expect.poll(() => page.locator('[aria-sort]').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});
