// Makes the pictures of docs/dashboard.md: starts servers, calls tools, and takes pictures of the page in Chromium.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ServerRow } from '../src/control/reports.js';
import type { Dashboard } from '../src/dashboard/dashboard.js';
import { openPage, showServers, startBrowser } from '../test/helpers/browser.js';
import { type DashboardFleet, dashboardFleet, serverRow } from '../test/helpers/dashboard-fleet.js';
import { type DashboardStage, dashboardStage } from '../test/helpers/dashboard-stage.js';

const images = fileURLToPath(new URL('../../../docs/images/dashboard/', import.meta.url));
const pageDirectory = fileURLToPath(new URL('../dist/dashboard/', import.meta.url));

const travel = fileURLToPath(new URL('../test/fixtures/rich-tools.mjs', import.meta.url));

const tools = `
tools:
  reviewer:
    mcp_tools: { required: [files], recommended: [tickets] }
    role_restrictions:
      review: { allowed_tools: [files.echo, files.pid] }
      write: { allowed_tools: [files, search], ask_before: [files.echo] }
`;

const names = ['github', 'files', 'memory', 'tickets', 'postgres', 'browser', 'search', 'notes', 'sentry', 'slack'];
const wide: BrowserContextOptions = { viewport: { width: 1100, height: 700 }, colorScheme: 'light' };
const screens = {
  light: { viewport: { width: 1100, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1100, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

const browser = await startBrowser();
const stage = await dashboardStage(
  [
    { name: 'files', server: 'echo' },
    { name: 'search', server: 'structured' },
    { name: 'notes', server: 'echo', fields: { auto_start: false } },
    { name: 'tickets', server: 'exits-at-once', args: ['--stderr', 'TICKETS_URL is not set'] },
  ],
  {
    pageDirectory,
    files: { 'tools.yaml': tools },
    entries: { travel: { command: process.execPath, args: [travel], auto_start: true } },
  },
);
try {
  await stage.control.start();
  await makeCalls(stage);
  await mkdir(images, { recursive: true });
  await picture(stage.dashboard, 'server', wide, showServer);
  await picture(stage.dashboard, 'calls', { ...wide, colorScheme: 'dark' }, showCalls);
  await picture(stage.dashboard, 'tool', screens.light, showTool);
  await picture(stage.dashboard, 'access', { ...wide, colorScheme: 'dark' }, showAccess);
  for (const count of [1, 12, 200]) {
    await using fleet = await busyServers(count);
    for (const [screen, options] of Object.entries(screens)) {
      await picture(fleet.dashboard, `overview-${count}-${screen}`, options, showUse);
      await picture(fleet.dashboard, `servers-${count}-${screen}`, options, showList);
    }
  }
} finally {
  await browser.close();
  await stage[Symbol.asyncDispose]();
}

/** Servers that are not there, with the calls of an hour. */
async function busyServers(count: number): Promise<DashboardFleet> {
  const nameOf = (index: number) => names[index] ?? `service-${index + 1}`;
  const rows = Array.from({ length: count }, (_, index) => serverRow(nameOf(index), factsOf(index)));
  let agoMs = 0;
  const fleet = await dashboardFleet(rows, { pageDirectory, now: () => Date.now() - agoMs });
  let call = 0;
  for (let minute = 59; minute >= 0; minute -= 1) {
    agoMs = minute * 60_000;
    const calls = Math.round(24 + 14 * Math.sin(minute / 8) + (minute % 5) * 3) * Math.ceil(count / 40);
    for (let number = 0; number < calls; number += 1) {
      call += 1;
      const server = nameOf((((call * call + minute) % Math.min(count, 60)) + (call % 3)) % count);
      const name = `mcp__${server}__${['search', 'read', 'list_items'][number % 3]}`;
      const client = ['claude-code 2.1', 'cursor 1.4', 'mcpx'][number % 3];
      const base = { time: new Date().toISOString(), action: 'call', decision: 'allowed', call } as const;
      const event = { ...base, argumentShape: { known: {}, others: 0 }, name, server, client, role: 'review' };
      const outcome = call % 37 === 3 ? 'tool-error' : 'ok';
      const durationMs = 20 + ((call * 37) % 300) + (call % 23 === 0 ? 900 : 0);
      fleet.calls.sink({ ...event, outcome, durationMs } as Parameters<typeof fleet.calls.sink>[0]);
    }
  }
  return fleet;
}

function factsOf(index: number): Partial<ServerRow> {
  const off = { pid: undefined, uptimeMs: undefined };
  const name = names[index];
  if (name === 'tickets' || index === 70) {
    return { ...off, state: 'failed', lastError: 'exited (code 1) before the handshake: API_URL is not set' };
  }
  if (name === 'notes') return { ...off, state: 'stopped', needs: [{ kind: 'variable', name: 'NOTES_TOKEN' }] };
  const isUnhealthy = name === 'browser';
  return {
    tools: 3 + ((index * 7) % 19),
    memoryBytes: 28e6 + ((index * 13) % 90) * 1e6,
    uptimeMs: 4e6 + index * 1e5,
    ...(isUnhealthy && { health: 'unhealthy', healthError: 'no response to a ping within 5 s' }),
  } as Partial<ServerRow>;
}

async function makeCalls({ control }: DashboardStage): Promise<void> {
  for (let count = 0; count < 4; count += 1) await control.call({ tool: 'mcp__files__echo', args: { text: 'hello' } });
  await control.call({ tool: 'mcp__files__pid', args: {}, role: 'review' });
  await control.call({ tool: 'mcp__notes__echo', args: { text: 'hello' }, role: 'review' }).catch(() => undefined);
  await control.call({ tool: 'mcp__tickets__list', args: {} }).catch(() => undefined);
  const { servers } = await control.status();
  const pid = servers.find(({ name }) => name === 'files')?.pid;
  if (pid !== undefined) process.kill(pid, 'SIGKILL'); // for something to be seen in its history
}

async function showServer(page: Page): Promise<void> {
  await showServers(page);
  await page.getByRole('link', { name: 'files', exact: true }).click();
  await page
    .locator('.detail dd')
    .getByText(/^1\d s,/)
    .waitFor(); // its history is as long as that
}

async function showUse(page: Page): Promise<void> {
  await page.locator('table.usage tbody tr').first().waitFor();
}

async function showList(page: Page): Promise<void> {
  await showServers(page);
  await page.locator('.spark').first().waitFor({ state: 'attached' });
}

async function showAccess(page: Page): Promise<void> {
  await page.evaluate('location.hash = "#/access"');
  await page.getByRole('button', { name: 'files.echo', exact: true }).click();
  await page.getByRole('list', { name: 'Reasons for files.echo' }).waitFor();
}

async function showCalls(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click();
  await page.getByText('✓ ok').first().waitFor();
}

async function showTool(page: Page): Promise<void> {
  await page.evaluate('location.hash = "#/tools/mcp__travel__plan"');
  await page.getByRole('textbox', { name: /^title/ }).fill('To the sea');
  await page.getByLabel(/^from/).fill('2026-07-01');
  await page.getByRole('textbox', { name: /^nights/ }).fill('99');
  await page.getByRole('textbox', { name: /^city/ }).fill('Ulm');
  await page.getByText(/at most 30/).waitFor();
}

async function picture(
  dashboard: Dashboard,
  name: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const watched = await openPage(browser, dashboard.newLink('call').url, options);
  await watched.page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await show(watched.page);
  const session = await watched.page.context().newCDPSession(watched.page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  await writeFile(`${images}${name}.webp`, Buffer.from(data, 'base64'));
  await watched[Symbol.asyncDispose]();
}
