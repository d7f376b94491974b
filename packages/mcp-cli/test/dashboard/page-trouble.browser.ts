import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { DashboardLink } from '../../src/dashboard/dashboard.js';
import { openPage, openServers, showServers, type WatchedPage } from '../helpers/browser.js';
import { type DashboardFleet, dashboardFleet, serverRow } from '../helpers/dashboard-fleet.js';
import { sharedBrowser } from '../helpers/shared-browser.js';
import { openTunnel } from '../helpers/tunnel.js';

// Chromium is several processes, which share two cores with all the others.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let browser: Browser;
let pageDirectory: string;

beforeAll(async () => {
  [browser, pageDirectory] = await Promise.all([sharedBrowser(), inject('pageDirectory')]);
});

afterAll(() => browser?.close());

const fleetOf = (
  rows = [serverRow('echo')],
  control: NonNullable<Parameters<typeof dashboardFleet>[1]['control']> = {},
): Promise<DashboardFleet> => dashboardFleet(rows, { pageDirectory, control });
const through = ({ url }: DashboardLink, origin: string) => url.replace(new URL(url).origin, origin);
const card = (page: Page, name: string) =>
  page.locator('.card').filter({ has: page.getByRole('link', { name, exact: true }) });
const alert = (page: Page) => page.getByRole('alert');
/** The tab has a clock of its own, which the test moves on. */
async function withClock(url: string, time: number): Promise<WatchedPage> {
  const watched = await openPage(browser, 'about:blank');
  await watched.page.clock.install({ time });
  await watched.page.goto(url);
  await showServers(watched.page);
  return watched;
}

describe('without a connection to the daemon', () => {
  test('the page shows since when, and reports the reconnection', async () => {
    await using fleet = await fleetOf();
    await using tunnel = await openTunnel(new URL(fleet.dashboard.newLink('look').url).origin);
    await using watched = await openServers(browser, through(fleet.dashboard.newLink('look'), tunnel.origin));
    const { page } = watched;
    await card(page, 'echo').getByText('running').waitFor();
    await tunnel.cut();
    await alert(page).getByText('The daemon does not respond.').waitFor();
    await alert(page)
      .getByText(/how it was at \d\d:\d\d:\d\d/)
      .waitFor();
    await card(page, 'echo').getByText('running').waitFor(); // the last picture stays
    fleet.change(serverRow('echo', { state: 'failed', lastError: 'it fell over' }));
    await tunnel.mend();
    await page.getByRole('status').getByText('Connected again').waitFor();
    await card(page, 'echo').getByText('it fell over').waitFor();
    expect(await alert(page).textContent()).toBe('');
  });

  test('the page detects a daemon that sends nothing', async () => {
    await using fleet = await fleetOf();
    await using tunnel = await openTunnel(new URL(fleet.dashboard.newLink('look').url).origin);
    await using watched = await withClock(through(fleet.dashboard.newLink('look'), tunnel.origin), Date.now());
    const { page } = watched;
    await card(page, 'echo').getByText('running').waitFor();
    tunnel.freeze();
    await page.clock.fastForward(16_000);
    await alert(page).getByText('The daemon does not respond.').waitFor();
    await tunnel.mend();
    await page.clock.fastForward(4_000);
    await page.getByRole('status').getByText('Connected again').waitFor();
  });

  test('the page reports that its daemon has ended, and stops retrying', async () => {
    await using fleet = await fleetOf();
    await using other = await fleetOf();
    await using tunnel = await openTunnel(new URL(fleet.dashboard.newLink('look').url).origin);
    await using watched = await openServers(browser, through(fleet.dashboard.newLink('look'), tunnel.origin));
    const { page } = watched;
    await card(page, 'echo').waitFor();
    await tunnel.cut();
    tunnel.lead(new URL(other.dashboard.newLink('look').url).origin);
    await tunnel.mend();
    await alert(page).getByText('The daemon of this page has ended.').waitFor();
    await alert(page).getByText('Run “mcpx dashboard” for a new link.').waitFor();
    await card(page, 'echo').waitFor(); // the last picture stays
  });

  test('the page without a link shows how to get one', async () => {
    await using fleet = await fleetOf();
    const [address = ''] = fleet.dashboard.newLink('look').url.split('#', 1);
    await using watched = await openPage(browser, address);
    await watched.page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await watched.page.getByText('Run "mcpx dashboard" for a new link').waitFor();
  });
});

test('a clock that differs from the daemon’s changes no duration', async () => {
  await using fleet = await fleetOf([serverRow('echo', { uptimeMs: 3_000 })]);
  await using watched = await withClock(fleet.dashboard.newLink('look').url, Date.now() + 5 * 3_600_000);
  await card(watched.page, 'echo')
    .getByText(/^up \d\.?\d? s$/)
    .waitFor();
});

describe('two pages of one browser', () => {
  test('can both act, in any order of their links, and both see the effects', async () => {
    const done: string[] = [];
    await using fleet = await fleetOf([serverRow('echo')], {
      stop: async ({ servers: [server = ''] = [] } = {}) => {
        done.push(server);
        fleet.change(serverRow('echo', { state: 'stopped' }));
        return [{ server, status: 'done' }];
      },
    });
    await using watched = await openServers(browser, fleet.dashboard.newLink('call').url);
    const { page } = watched;
    await card(page, 'echo').waitFor();
    const second = await page.context().newPage();
    await second.goto(fleet.dashboard.newLink('call').url);
    await showServers(second);
    await card(second, 'echo').waitFor();
    const third = await page.context().newPage();
    await third.goto(fleet.dashboard.newLink('look').url);
    await third.getByText('This page can only look.').waitFor();
    await page.bringToFront();
    await page.getByRole('link', { name: 'echo', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('status').getByText('“echo” is stopped.').waitFor();
    await second.bringToFront();
    await card(second, 'echo').getByText('stopped').waitFor();
    expect(done).toEqual(['echo']);
  });
});

test('a double click does not confirm, and confirming twice acts once', async () => {
  const done: string[] = [];
  await using fleet = await fleetOf([serverRow('echo')], {
    restart: async ({ servers: [server = ''] = [] } = {}) => {
      done.push(server);
      return [{ server, status: 'done' }];
    },
  });
  await using watched = await openServers(browser, fleet.dashboard.newLink('call').url);
  const { page } = watched;
  await page.getByRole('link', { name: 'echo', exact: true }).click();
  await page.getByRole('button', { name: 'Restart' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Restart' });
  await confirm.waitFor();
  await page.evaluate(
    `document.querySelector('dialog .primary').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }))`,
  );
  expect(await confirm.isEnabled()).toBe(true);
  await page.evaluate(`{ const button = document.querySelector('dialog .primary'); button.click(); button.click(); }`);
  await page.getByRole('status').getByText('“echo” is restarted.').waitFor();
  expect(done).toEqual(['echo']);
});

describe('under load', () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    serverRow(`server-${index}`, index % 10 === 0 ? { state: 'failed', lastError: 'no such file' } : {}),
  );

  test('the page stays responsive with 200 changing servers and 1 000 calls a second', async () => {
    await using fleet = await fleetOf(many);
    await using watched = await openServers(browser, fleet.dashboard.newLink('look').url);
    const { page, problems } = watched;
    const rows = page.getByRole('table', { name: 'Servers' }).getByRole('row');
    await rows.filter({ hasText: 'server-199' }).waitFor({ state: 'attached' });
    expect(await rows.nth(1).textContent()).toContain('failed'); // those come first
    let round = 0;
    const churning = setInterval(() => {
      round += 1;
      for (let index = 0; index < 10; index += 1) {
        const name = `server-${((round * 10) % 200) + Math.max(index, 1)}`; // those that failed stay so
        fleet.change(serverRow(name, { restarts: round }));
        const time = new Date().toISOString();
        const shape = { known: {}, others: 0 };
        const call = { time, action: 'call', decision: 'allowed', argumentShape: shape, call: round, name } as const;
        fleet.calls.sink({ ...call, outcome: 'ok', durationMs: 1 } as never);
      }
    }, 10);
    try {
      // Each step is answered while all of that goes on.
      await page.getByRole('button', { name: 'Errors' }).click();
      await page.getByRole('columnheader', { name: 'Errors' }).and(page.locator('[aria-sort=descending]')).waitFor();
      expect(page.url()).toMatch(/sort=errors/);
      await page.getByRole('checkbox', { name: 'As a table' }).uncheck();
      await card(page, 'server-199').waitFor({ state: 'attached' });
      await page.getByRole('searchbox', { name: 'Find a server' }).fill('server-7');
      await card(page, 'server-77').waitFor();
      expect(await page.locator('.card').count()).toBe(11);
      await page.getByRole('button', { name: /failed/ }).click();
      await card(page, 'server-70').waitFor();
      expect(await page.locator('.card').count()).toBeLessThanOrEqual(2);
      await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click();
      await page.getByText('✓ ok').first().waitFor();
      expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(200);
    } finally {
      clearInterval(churning);
    }
    expect(problems).toEqual([]);
  });

  test('calls that come and go leave no memory behind', async () => {
    await using fleet = await fleetOf();
    await using watched = await openPage(browser, fleet.dashboard.newLink('look').url);
    const { page } = watched;
    await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click();
    const shape = { known: {}, others: 0 };
    const base = { time: new Date().toISOString(), action: 'call', decision: 'allowed', argumentShape: shape };
    for (let round = 1; round <= 25; round += 1) {
      for (let call = 1; call <= 100; call += 1) {
        fleet.calls.sink({ ...base, call, name: `call-${round}-${call}`, outcome: 'ok', durationMs: 1 } as never);
      }
      await page.getByText(`call-${round}-100`, { exact: true }).waitFor();
    }
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    expect(usedSize).toBeLessThan(20_000_000);
  });

  test('flooded logs are followed until the user scrolls back', async () => {
    await using fleet = await fleetOf();
    await using watched = await openServers(browser, fleet.dashboard.newLink('look').url);
    const { page } = watched;
    await page.getByRole('link', { name: 'echo', exact: true }).click();
    const log = page.getByRole('log');
    await log.waitFor();
    for (let count = 1; count <= 2_000; count += 1) fleet.write(`line ${count} of it`);
    await log.getByText('line 2000 of it').waitFor();
    const box = `document.querySelector('.log')`;
    const fromEnd = () =>
      page.evaluate(`${box}.scrollHeight - ${box}.clientHeight - ${box}.scrollTop`) as Promise<number>;
    expect(await fromEnd()).toBeLessThan(8);
    expect(await log.locator('> div').count()).toBe(300);
    await page.evaluate(`${box}.scrollTop = 100`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    fleet.write('the last line');
    await log.getByText('the last line').waitFor();
    expect(await fromEnd()).toBeGreaterThan(1_000);
  });

  test('a very long text is cut and cannot be approved', async () => {
    const text = 'a book '.repeat(150_000);
    const tool = { name: 'mcp__echo__big', server: 'echo', tool: 'big', description: text, state: 'running' };
    await using fleet = await fleetOf([serverRow('echo')], {
      search: async () => ({ total: 5_000, tools: [tool] }) as never,
      describe: async () => ({ tool: { ...tool, inputSchema: {} }, signature: 'big()' }) as never,
      roles: async () => [],
      pins: async () =>
        ({
          trust: { default: 'approve' },
          tools: [{ server: 'echo', tool: 'big', trust: 'pending', digest: 'd', findings: [] }],
        }) as never,
      pinDiff: async () => text,
    });
    await using watched = await openServers(browser, fleet.dashboard.newLink('call').url);
    const { page } = watched;
    await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
    await page.getByText('1 of 5000 shown; search to see others').waitFor();
    await page.getByRole('link', { name: 'big of echo' }).click();
    await page.getByText('1,030,000 more characters are not shown here').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Access' }).click();
    await page.getByText('it cannot be approved here').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});

test('a config without servers shows what to do', async () => {
  await using fleet = await fleetOf([]);
  await using watched = await openServers(browser, fleet.dashboard.newLink('look').url);
  await watched.page.getByText('The config names no servers yet.').waitFor();
  await watched.page.getByText('mcpx init --from all').waitFor();
});

test('a view that fails says so, and the other views work', async () => {
  await using fleet = await fleetOf([serverRow('echo')], {
    roles: async () => [{ role: '<b>review</b>' }] as never, // without its tools
  });
  await using watched = await openPage(browser, fleet.dashboard.newLink('look').url);
  const { page } = watched;
  const view = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await view('Access');
  await alert(page).getByText('This view cannot be shown:').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await alert(page).getByText('This view cannot be shown:').waitFor();
  await view('Servers');
  await card(page, 'echo').getByText('running').waitFor();
  expect(await alert(page).getByText('This view cannot be shown:').count()).toBe(0);
});
