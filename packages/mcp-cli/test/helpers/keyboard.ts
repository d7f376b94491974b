import type { Locator, Page } from 'playwright-core';

/** Text of the focused element. */
export const focusedText = (page: Page): Promise<string> =>
  page.evaluate('(document.activeElement?.textContent ?? "").trim()');

/**
 * Presses Tab until the target has the focus. Elements that appear on the way count.
 *
 * @throws if 60 presses, or `maxPresses`, do not reach it.
 */
export async function tabTo(target: Locator, { maxPresses = 60 } = {}): Promise<void> {
  const page = target.page();
  await target.waitFor();
  for (let presses = 0; presses < maxPresses; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${target} within ${maxPresses} presses; it is at "${await focusedText(page)}"`);
}

/** Reaches the target with Tab and presses Enter. */
export async function enter(target: Locator, options?: { readonly maxPresses?: number }): Promise<void> {
  await tabTo(target, options);
  await target.page().keyboard.press('Enter');
}
