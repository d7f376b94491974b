// Makes the pictures of docs/dashboard.md: starts servers, calls tools, and takes pictures of the page in Chromium.
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openPage, startBrowser } from '../test/helpers/browser.js';
import { type DashboardStage, dashboardStage } from '../test/helpers/dashboard-stage.js';

const images = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const pageDirectory = fileURLToPath(new URL('../dist/dashboard/', import.meta.url));

const travel = fileURLToPath(new URL('../test/fixtures/rich-tools.mjs', import.meta.url));

const tools = `
tools:
  reviewer:
    mcp_tools: { required: [files], recommended: [tickets] }
    role_restrictions:
      review: { allowed_tools: [files.echo, files.pid] }
`;

const wide: BrowserContextOptions = { viewport: { width: 1100, height: 700 } };
const phone: BrowserContextOptions = { viewport: { width: 360, height: 720 } };

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
  await picture(browser, 'dashboard-light', { ...wide, colorScheme: 'light' }, showServer);
  await picture(browser, 'dashboard-dark', { ...wide, colorScheme: 'dark' }, showCalls);
  await picture(browser, 'dashboard-tool', { viewport: { width: 1100, height: 900 }, colorScheme: 'light' }, showTool);
  await picture(browser, 'dashboard-phone', { ...phone, colorScheme: 'light' }, async () => undefined);
} finally {
  await browser.close();
  await stage[Symbol.asyncDispose]();
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
  await page.getByRole('link', { name: 'files', exact: true }).click();
  await page
    .locator('.detail dd')
    .getByText(/^1\d s,/)
    .waitFor(); // its history is as long as that
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
  chromium: Browser,
  name: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const watched = await openPage(chromium, stage.dashboard.newLink('call').url, options);
  await watched.page.locator('.card').first().waitFor();
  await show(watched.page);
  await watched.page.screenshot({ path: `${images}${name}.png` });
  await watched[Symbol.asyncDispose]();
}
