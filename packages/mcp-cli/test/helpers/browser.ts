import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core';

// Without windows it takes half of the work: the first one has none.
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Chromium of this machine, or Chrome. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

export function launchOptions(): LaunchOptions {
  const executablePath = (process.env.CHROMIUM ? [process.env.CHROMIUM] : places).find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'There is no Chromium here, which the dashboard is tested in. Install it, on Debian with "apt-get install chromium-headless-shell", or set CHROMIUM to the path of Chromium or Chrome.',
    );
  }
  // A sandbox needs rights that containers do not have; it is our own page that is opened.
  return { executablePath, args: ['--no-sandbox', '--disable-gpu'] };
}

/** A page, and all that went wrong on it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** What was written to the console as an error or a warning, and what was thrown. */
  readonly problems: readonly string[];
  /** Addresses that were asked for. */
  readonly requested: readonly string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const problems: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  context.on('request', (request) => requested.push(request.url()));
  await page.goto(url);
  return { page, problems, requested, [Symbol.asyncDispose]: () => context.close() };
}

/** The page with the view of the servers. */
export async function openServers(...options: Parameters<typeof openPage>): Promise<WatchedPage> {
  const watched = await openPage(...options);
  await showServers(watched.page);
  return watched;
}

export async function showServers(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Servers', exact: true }).click();
}
