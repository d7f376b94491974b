import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { FleetReport } from '../../src/fleet/fleet-report.js';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage } from '../helpers/browser.js';
import { dashboardFleet, serverRow } from '../helpers/dashboard-fleet.js';
import { enter, focusedText } from '../helpers/keyboard.js';
import { sharedBrowser } from '../helpers/shared-browser.js';

// Chromium is several processes, which share two cores with all the others.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
});

afterAll(() => browser?.close());

const evil = '<img src=x onerror=alert(1)>\u202egnp.exe';

const report: FleetReport = {
  fleet: 'team',
  node: 'laptop',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  nodes: [
    {
      node: 'laptop',
      isOwn: true,
      state: 'alive',
      servers: [{ server: 'echo', source: 'echo', placement: 'singleton', state: 'running', tools: 3 }],
    },
    {
      node: 'build-1',
      isOwn: false,
      state: 'unreachable',
      servers: [
        { server: evil, source: `${evil}@build-1`, placement: 'pinned', state: 'unreachable', tools: 14 },
        { server: 'echo', source: 'echo', placement: 'singleton', state: 'unreachable', tools: 3 },
      ],
    },
  ],
  singletons: [{ server: 'echo', holder: 'laptop' }],
  alarms: [{ at: 1_800_000_000_000, operation: 'write', subject: 'lease.build-1' }],
};

const link = (page: Page) => page.getByRole('navigation').getByRole('link', { name: 'Fleet', exact: true });

test('the fleet is shown while the daemon belongs to one, with texts of other nodes as plain text', async () => {
  let fleet: FleetReport | undefined = report;
  await using stage = await dashboardFleet([serverRow('echo')], {
    pageDirectory: inject('pageDirectory'),
    control: { status: async () => ({ servers: [serverRow('echo')], ...(fleet && { fleet }) }) },
  });
  const { page, problems } = await openPage(browser, stage.dashboard.newLink('look').url);
  await link(page).click();
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  await row('unreachable').first().waitFor();
  expect(await row('this node').textContent()).toMatch(/laptop.*● alive/s);
  expect(await row('14').textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await page.locator('img').count()).toBe(0);
  expect(await row('14').textContent()).not.toContain('\u202e');
  expect(await row('has it').textContent()).toMatch(/laptop\s*echo\s*singleton has it/);
  await page.getByText('lease.build-1').waitFor();

  fleet = undefined;
  await page.getByText('The daemon belongs to no fleet.').waitFor();
  expect(await link(page).count()).toBe(0);
  expect(problems).toEqual([]);
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 844 } }],
] as const)('%s: the fleet follows the rules of accessibility, and lost nodes are named', async (_name, options) => {
  await using stage = await dashboardFleet([serverRow('echo')], {
    pageDirectory: inject('pageDirectory'),
    control: { status: async () => ({ servers: [serverRow('echo')], fleet: report }) },
  });
  await using watched = await openPage(browser, stage.dashboard.newLink('look').url, options);
  const { page } = watched;
  const lost = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem');
  await lost.filter({ hasText: 'Node of the fleet is lost' }).getByRole('link', { name: 'build-1' }).click();
  await page.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
  await page.getByText('2 nodes, 1 lost').waitFor();
  await expectAccessible(page, 'fleet');
  expect(watched.problems).toEqual([]);
});

test('by keyboard: the fleet is opened, its tables are reached, and a server of it is opened', async () => {
  await using stage = await dashboardFleet([serverRow('echo')], {
    pageDirectory: inject('pageDirectory'),
    control: { status: async () => ({ servers: [serverRow('echo')], fleet: report }) },
  });
  await using watched = await openPage(browser, stage.dashboard.newLink('look').url);
  const { page } = watched;
  await enter(link(page));
  await page.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
  await expect.poll(() => focusedText(page)).toBe('Fleet');
  await enter(page.getByRole('row').getByRole('link', { name: 'echo', exact: true }));
  await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
  await expect.poll(() => focusedText(page)).toBe('echo');
  expect(watched.problems).toEqual([]);
});

test('a node that is cut off says so, and shows what runs there', async () => {
  const cutOff: FleetReport = {
    ...report,
    phase: 'cut-off',
    isBusConnected: false,
    error: { code: 'bus-lost', message: `The NATS server is gone ${evil}` },
  };
  await using stage = await dashboardFleet([serverRow('echo')], {
    pageDirectory: inject('pageDirectory'),
    control: { status: async () => ({ servers: [serverRow('echo')], fleet: cutOff }) },
  });
  await using watched = await openPage(browser, stage.dashboard.newLink('look').url);
  const { page } = watched;
  await page.getByRole('link', { name: 'Show This node is cut off from the fleet' }).click();
  await page.getByText('◐ cut off').waitFor();
  await page.getByText('The NATS server cannot be reached. Servers of this node work.').waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});
