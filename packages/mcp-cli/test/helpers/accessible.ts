import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the page shows follows axe's rules, and fits the width of the screen. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axe);
  const violations = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`);
  expect([what, violations]).toEqual([what, []]);
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect([what, tooWide]).toEqual([what, 0]);
}
