import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { enter, tabTo } from '../helpers/keyboard.js';

const tools = `
tools:
  reviewer:
    role_restrictions:
      review: { allowed_tools: [rich.show] }
      careful: { allowed_tools: [rich], ask_before: [rich] }
`;

const stage = browserStage([], {
  files: { 'tools.yaml': tools },
  entries: { rich: fixtureEntry('rich-tools'), hostile: fixtureEntry('hostile-tools') },
});

async function openTool(
  name: string,
  options: BrowserContextOptions = {},
  may: 'look' | 'operate' | 'call' = 'call',
): Promise<WatchedPage> {
  const watched = await stage.open(`/tools/${name}`, { ...options, may });
  await watched.page.getByText('Schema of the arguments').waitFor();
  return watched;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const focusedId = (page: Page) => page.evaluate('document.activeElement?.id');
const answer = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true });

describe('the form of a tool', () => {
  test('has a field for each argument, says what is wrong beside it, and calls with what is right', async () => {
    await using watched = await openTool('mcp__rich__plan');
    const { page } = watched;
    await press(page, 'Run');
    await page.getByRole('alert').getByText('3 arguments are not right yet').waitFor();
    const title = page.getByRole('textbox', { name: /^title/ });
    expect(await focusedId(page)).toBe('argument/title');
    expect(await title.getAttribute('aria-invalid')).toBe('true');
    await page.locator('.field').filter({ has: title }).getByText('Missing: string').waitFor();
    await title.fill('ab');
    await page.getByText('Must have at least 3 characters.').first().waitFor();
    await title.fill('To the sea');
    await page.getByLabel(/^from/).fill('2026-07-01');
    await page.getByRole('textbox', { name: /^nights/ }).fill('99');
    await page
      .getByText(/Must be at most 30/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: /^nights/ }).fill('2');
    await page.getByRole('combobox', { name: 'Kind of target' }).selectOption('Coordinates');
    await page.getByRole('textbox', { name: /^lat/ }).fill('48.4');
    await page.getByRole('textbox', { name: /^lon/ }).fill('10');
    await page.getByRole('combobox', { name: /^comfort/ }).selectOption('best');
    await page.getByRole('combobox', { name: /^refundable/ }).selectOption('false');
    await press(page, 'Add guests');
    await press(page, 'Add an item to guests');
    await page.getByRole('textbox', { name: /^name/ }).fill('Ann');
    await press(page, 'Add tags');
    await press(page, 'Add an item to tags');
    await page.getByRole('textbox', { name: /^tags\[0\]/ }).fill('x');
    await press(page, 'Remove tags[0]');
    await press(page, 'Add budget');
    await page.getByRole('combobox', { name: 'Kind of budget' }).selectOption('null');
    await page.getByRole('textbox', { name: /^extra/ }).fill('{"any": [1]}');
    await press(page, 'Run');
    await answer(page).getByText('✓ ok').waitFor();
    await press(page, 'As it is');
    const shown = await page.locator('.block .text').textContent();
    expect(JSON.parse(shown ?? '')).toEqual({
      planned: {
        title: 'To the sea',
        when: { from: '2026-07-01', nights: 2 },
        target: { kind: 'point', lat: 48.4, lon: 10 },
        comfort: 'best',
        refundable: false,
        guests: [{ name: 'Ann' }],
        tags: [],
        budget: null,
        extra: { any: [1] },
      },
    });
    expect(watched.problems).toEqual([]);
  });

  test('is in step with the JSON text', async () => {
    await using watched = await openTool('mcp__rich__plan');
    const { page } = watched;
    await page.getByRole('textbox', { name: /^title/ }).fill('A trip');
    await press(page, 'JSON');
    const text = page.getByRole('textbox', { name: 'Arguments as JSON' });
    expect(JSON.parse(await text.inputValue())).toEqual({ title: 'A trip', when: {}, target: { kind: 'city' } });
    await text.fill('{"title": 7,');
    await page.getByText('This is no JSON yet').waitFor();
    await press(page, 'Run');
    expect(await focusedId(page)).toBe('arguments-json');
    await text.fill('{"title": 7, "target": {"kind": "point", "lat": 1, "lon": 2}, "when": {"from": "2026-07-01"}}');
    await press(page, 'Run');
    await page.getByText('/title Must be a string').waitFor();
    await press(page, 'Form');
    expect(await page.getByRole('combobox', { name: 'Kind of target' }).inputValue()).toBe('1');
    expect(await page.getByRole('textbox', { name: /^lat/ }).inputValue()).toBe('1');
    await page.getByRole('textbox', { name: /^title/ }).fill('A trip');
    await press(page, 'Run');
    await answer(page).getByText('✓ ok').waitFor();
    await page.getByText('Take this call along').click();
    expect(await page.getByRole('region', { name: 'In a terminal' }).textContent()).toContain(
      "mcpx call mcp__rich__plan 'title=A trip'",
    );
    expect(await page.getByRole('region', { name: 'In TypeScript' }).textContent()).toContain(
      'tools.call("mcp__rich__plan", {"title":"A trip"',
    );
    expect(watched.problems).toEqual([]);
  });

  test('calls as a role, and says why that may not', async () => {
    await using watched = await openTool('mcp__rich__plan?role=review');
    const { page } = watched;
    await page.getByRole('status').getByText('denied:').waitFor();
    await page.getByRole('combobox', { name: 'As role' }).selectOption('careful');
    expect(page.url()).toContain('role=careful');
    await page.getByRole('status').getByText('allowed:').waitFor();
    await press(page, 'JSON');
    await page
      .getByRole('textbox', { name: 'Arguments as JSON' })
      .fill('{"title": "abc", "target": {"kind": "city", "city": "Ulm"}, "when": {"from": "2026-07-01"}}');
    await press(page, 'Run');
    await page.getByText('It waits for approval').waitFor();
    const [waiting] = await stage.control.approvals();
    await stage.control.answerApproval({ id: waiting?.id ?? '', isApproved: true, by: 'command' });
    await answer(page).getByText('✓ ok').waitFor();
    expect(watched.problems).toEqual([]);
  });
});

describe('a call', () => {
  test('shows every kind of content of its answer', async () => {
    await using watched = await openTool('mcp__rich__show');
    const { page } = watched;
    await press(page, 'Run');
    const shown = answer(page);
    await shown.getByText('✓ ok').waitFor();
    expect(await shown.getByRole('link', { name: 'https://docs.example/trip' }).getAttribute('rel')).toContain(
      'noopener',
    );
    await shown.getByRole('group', { name: 'Text' }).getByText('"Ann"').waitFor();
    const decoded = `(image) => image.decode().then(() => image.naturalWidth)`;
    expect(await page.evaluate(`(${decoded})(document.querySelector('.result img'))`)).toBe(24);
    await shown.getByRole('img', { name: 'Sent by the tool: image/png' }).waitFor();
    expect(await shown.getByRole('img').count()).toBe(1);
    expect(await shown.getByText('It is shown as bytes').count()).toBe(2);
    expect(await shown.locator('audio').getAttribute('src')).toMatch(/^data:audio\/wav;base64,/);
    await shown.getByText('The trip').waitFor();
    await shown.getByText('An embedded note.').waitFor();
    await shown.getByText('✓ fits its schema').waitFor();
    await press(page, 'As JSON');
    await shown.getByRole('region', { name: 'The result as JSON' }).getByText('"structuredContent"').waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('shows its progress, and ends at the server when it is cancelled', async () => {
    await using watched = await openTool('mcp__rich__slow');
    const { page } = watched;
    await press(page, 'Run');
    await answer(page).getByText('3 of 10').waitFor();
    await answer(page).getByText('step <b>3</b>').waitFor();
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('3');
    await press(page, 'Cancel');
    await answer(page).getByText('○ cancelled').waitFor();
    await page.evaluate('location.hash = "#/servers/rich"');
    await page.getByRole('log').getByText('cancelled').waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('of a tool that may destroy asks first, once if that is wished', async () => {
    await using watched = await openTool('mcp__rich__erase');
    const { page } = watched;
    await page.getByRole('textbox', { name: /^path/ }).fill('/tmp/a');
    await press(page, 'Run');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Run “erase” of “rich”?').waitFor();
    await dialog.getByText('"path": "/tmp/a"').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await answer(page).getByText('The answer appears here.').waitFor();
    await press(page, 'Run');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Run' }).click();
    await answer(page).getByText('erased /tmp/a').waitFor();
    await page.getByRole('textbox', { name: /^path/ }).fill('/tmp/b');
    await page.keyboard.press('Control+Enter');
    await answer(page).getByText('erased /tmp/b').waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('by keyboard alone', async () => {
    await using watched = await openTool('mcp__rich__erase');
    const { page } = watched;
    await tabTo(page.getByRole('textbox', { name: /^path/ }));
    await page.keyboard.type('/tmp/typed');
    await page.keyboard.press('Control+Enter');
    await enter(page.getByRole('dialog').getByRole('button', { name: 'Run' }));
    await answer(page).getByText('erased /tmp/typed').waitFor();
    expect(await focusedId(page)).toBe('argument/path');
    expect(watched.problems).toEqual([]);
  });
});

test.each(['look', 'operate'] as const)('a page that may %s shows the definition without a form', async (may) => {
  await using watched = await openTool('mcp__rich__plan', {}, may);
  const { page } = watched;
  await page.getByRole('list', { name: 'Arguments' }).getByText('{ from: string (date), nights?: integer').waitFor();
  for (const name of ['Run', 'Cancel', 'Form', 'JSON']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
  expect(watched.problems).toEqual([]);
});

test('a hostile schema and a hostile answer are text', async () => {
  await using watched = await openTool('mcp__hostile__scripted');
  const { page } = watched;
  await press(page, 'Add list');
  await press(page, 'Add either');
  await press(page, 'Add constructor');
  const { origin } = new URL(page.url());
  await press(page, 'Run');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
  await answer(page).getByText('✓ ok').waitFor();
  await answer(page).getByText('<script>window.attacked = 6</script>').waitFor();
  await press(page, 'As JSON');
  await page.getByRole('region', { name: 'The result as JSON' }).getByText('U+202E').first().waitFor();
  await press(page, 'Answer');
  await page.getByText('Take this call along').click();
  expect(await page.getByRole('region', { name: 'In a terminal' }).textContent()).toContain('\\u202e');
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(await page.locator('main script, main iframe, main img, main style, main svg, main audio').count()).toBe(0);
  const links = await page.locator('main a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect(links.filter((href) => !/^(#\/|http:\/\/attacker\.example\/)/.test(href ?? ''))).toEqual([]);
  expect(await page.locator('option').allTextContents()).toContain('<img src=x onerror="window.attacked = 5">U+202E');
  expect(watched.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(watched.problems).toEqual([]);
});

describe('accessibility', () => {
  test.each([
    ['in light', { colorScheme: 'light' }],
    ['in dark', { colorScheme: 'dark' }],
    ['as wide as a phone', { viewport: { width: 360, height: 720 } }],
  ] as const)(
    '%s: a form with faults, a question, an answer and the JSON text follow the rules',
    async (_name, options) => {
      await using watched = await openTool('mcp__rich__plan', options);
      const { page } = watched;
      await press(page, 'Add guests');
      await press(page, 'Add an item to guests');
      await press(page, 'Run');
      await page.getByRole('alert').getByText('not right yet').waitFor();
      await expectAccessible(page, 'a form with faults');
      await press(page, 'JSON');
      await expectAccessible(page, 'JSON');
      await page.evaluate('location.hash = "#/tools/mcp__rich__show"');
      await page.getByText('Answers with every kind').waitFor();
      await press(page, 'Run');
      await answer(page).getByText('✓ ok').waitFor();
      await page.getByText('Take this call along').click();
      await expectAccessible(page, 'an answer');
      await page.evaluate('location.hash = "#/tools/mcp__hostile__turned"');
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
      await press(page, 'Run');
      await page.getByRole('dialog').waitFor();
      await expectAccessible(page, 'a question');
      expect(watched.problems).toEqual([]);
    },
  );
});
