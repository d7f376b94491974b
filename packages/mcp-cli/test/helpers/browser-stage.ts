import { fileURLToPath } from 'node:url';
import { expectNoLeaks } from '@x/test-servers';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { openPage, type WatchedPage } from './browser.js';
import { type DashboardStage, dashboardStage } from './dashboard-stage.js';
import { sharedBrowser } from './shared-browser.js';

type StageOptions = Parameters<typeof dashboardStage>[1];

interface OpenOptions extends BrowserContextOptions {
  /** Default `call`. */
  readonly may?: 'look' | 'operate' | 'call';
}

/** The dashboard over real servers, and a browser. Exists while the tests of the file run. */
interface BrowserStage extends Pick<DashboardStage, 'folder' | 'control' | 'recorder' | 'dashboard'> {
  readonly browser: Browser;
  /** @param view - The part of the address behind `#`, such as `/calls?q=echo`. Default: the overview. */
  open(view?: string, options?: OpenOptions): Promise<WatchedPage>;
}

/**
 * Registers the set-up of the tests of one file: the servers start before them, and nothing is left after them.
 *
 * @param options.starts - Starts the servers with `auto_start`. Default `true`.
 */
export function browserStage(
  servers: Parameters<typeof dashboardStage>[0],
  { starts = true, ...options }: Omit<StageOptions, 'pageDirectory'> & { readonly starts?: boolean } = {},
): BrowserStage {
  // Chromium is several processes, which share two cores with all the others.
  vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
  let browser: Browser | undefined;
  let stage: DashboardStage | undefined;
  beforeAll(async () => {
    [browser, stage] = await Promise.all([
      sharedBrowser(),
      dashboardStage(servers, { ...options, pageDirectory: inject('pageDirectory') }),
    ]);
    if (starts) await stage.control.start();
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.[Symbol.asyncDispose]();
    await expectNoLeaks();
  });
  return {
    get browser() {
      return existing(browser);
    },
    get folder() {
      return existing(stage).folder;
    },
    get control() {
      return existing(stage).control;
    },
    get recorder() {
      return existing(stage).recorder;
    },
    get dashboard() {
      return existing(stage).dashboard;
    },
    open: async (view, { may = 'call', ...context } = {}) => {
      const watched = await openPage(existing(browser), existing(stage).dashboard.newLink(may).url, context);
      await watched.page.locator('.card').first().waitFor();
      if (view !== undefined) await watched.page.evaluate(`location.hash = ${JSON.stringify(`#${view}`)}`);
      return watched;
    },
  };
}

function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The stage exists only while the tests run. Use it in a test.');
  return value;
}

/** The entry of a server in `fixtures`, which starts by itself. */
export function fixtureEntry(name: string, ...args: readonly string[]) {
  const file = fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));
  return { command: process.execPath, args: [file, ...args], auto_start: true };
}
