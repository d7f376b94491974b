// Before the browser tests: one browser for all files, each of which has contexts of its own in it.
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { launchOptions } from './browser.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the browser. */
    readonly browserEndpoint: string;
  }
}

export default async function shareBrowser(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(launchOptions());
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}

/** The browser of all files. `close()` closes the contexts of this one. */
export function sharedBrowser(): Promise<Browser> {
  return chromium.connect(inject('browserEndpoint'));
}
