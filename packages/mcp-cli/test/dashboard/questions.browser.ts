import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../helpers/accessible.js';
import type { WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';

import { enter, tabTo } from '../helpers/keyboard.js';

const stage = browserStage([{ name: 'asks', server: 'asks-host' }], { entries: { paged: fixtureEntry('needs-page') } });

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const answer = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true });

async function openTool(name: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await stage.open(`/tools/${name}`, options);
  await watched.page.getByText('Schema of the arguments').waitFor();
  return watched;
}

/** Has the server ask, and returns once its question is on the page. */
async function ask(page: Page, params: object, more: object = {}) {
  await press(page, 'JSON');
  await page
    .getByRole('textbox', { name: 'Arguments as JSON' })
    .fill(JSON.stringify({ method: 'elicitation/create', params, ...more }));
  await press(page, 'Run');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('dialog').filter({ has: page.locator('#server-question') });
  await question.waitFor();
  return question;
}

async function answered(page: Page): Promise<unknown> {
  await answer(page).getByText('✓ ok').waitFor();
  await press(page, 'As it is');
  return JSON.parse((await page.locator('.block .text').textContent()) ?? '');
}

const script = '<img src=x onerror="window.attacked=1">\u202e\u001b[2J';
const requestedSchema = {
  type: 'object',
  required: ['name', 'colour'],
  properties: {
    name: { type: 'string', title: 'Your name', description: script, minLength: 2 },
    age: { type: 'integer', minimum: 1, maximum: 150 },
    mail: { type: 'string', format: 'email' },
    city: { type: 'string', default: 'Oslo' },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: script },
        { const: 'b', title: 'Blue' },
      ],
    },
    tools: { type: 'array', items: { type: 'string', enum: ['saw', 'drill'] }, default: ['drill'] },
  },
};

test('a form of a server is answered on the page, with faults beside the fields', async () => {
  await using watched = await openTool('mcp__asks__ask');
  const { page } = watched;
  const question = await ask(page, { message: script, requestedSchema });
  await question.getByText('“asks” asks').waitFor();
  await question.getByText('<img src=x onerror="window.attacked=1">').first().waitFor();
  await question.getByRole('button', { name: 'Send to the server' }).click();
  await question.getByText('Missing: string').first().waitFor();
  await question.getByRole('textbox', { name: /^name/ }).fill('Ann');
  await question.getByRole('textbox', { name: /^age/ }).fill('200');
  await question.getByRole('combobox', { name: /^colour/ }).selectOption('Blue');
  await question.getByRole('checkbox', { name: 'saw' }).check();
  await question.getByRole('textbox', { name: /^mail/ }).fill('nobody');
  await question.getByRole('button', { name: 'Send to the server' }).click();
  await question.getByText(/Must be at most 150/).waitFor();
  await question.getByText('Type an email address').waitFor();
  await question.getByRole('textbox', { name: /^age/ }).fill('40');
  await question.getByRole('textbox', { name: /^mail/ }).fill('nobody@example.com');
  await question.getByRole('button', { name: 'Send to the server' }).click();
  expect(await answered(page)).toEqual({
    result: {
      action: 'accept',
      content: {
        name: 'Ann',
        age: 40,
        mail: 'nobody@example.com',
        city: 'Oslo',
        colour: 'b',
        tools: ['saw', 'drill'],
      },
    },
  });
  expect(await page.evaluate('window.attacked')).toBeUndefined();
  expect(watched.problems).toEqual([]);
});

test.each([
  ['Decline', 'decline'],
  ['Cancel', 'cancel'],
] as const)('%s answers the server with %s', async (button, action) => {
  await using watched = await openTool('mcp__asks__ask');
  const { page } = watched;
  const question = await ask(page, {
    message: 'Your password?',
    requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
  });
  await question.getByText('looks like a secret').waitFor();
  if (action === 'cancel') await page.keyboard.press('Escape');
  else await question.getByRole('button', { name: button }).click();
  expect(await answered(page)).toEqual({ result: { action } });
  expect(watched.problems).toEqual([]);
});

test('a page is opened after consent, with its host and warnings', async () => {
  await using watched = await openTool('mcp__asks__ask');
  const { page } = watched;
  await page.context().route(/sign-in\.example/, (route) => route.fulfill({ body: 'page' }));
  const url = 'http://user@sign-in.example/consent?q=<b>1</b>';
  const question = await ask(page, { mode: 'url', message: 'Sign in', url, elicitationId: '1' });
  await question.getByText('sign-in.example', { exact: true }).waitFor();
  await question.getByText('The text before "@" is not the host.').waitFor();
  const opened = page.context().waitForEvent('page');
  await question.getByRole('button', { name: 'Open the page' }).click();
  const other = await opened;
  expect(await answered(page)).toEqual({ result: { action: 'accept' } });
  expect(await other.evaluate('window.opener').catch(() => null)).toBeNull();
  await other.getByText('page').waitFor();
  expect(other.url()).toContain('sign-in.example/consent?q=%3Cb%3E');
});

test.each(['javascript:alert(1)', 'file:///etc/passwd', `https://example.com/${'x'.repeat(5_000)}`])(
  'the address %# is declined without a question',
  async (url) => {
    await using watched = await openTool('mcp__asks__ask');
    const { page } = watched;
    await press(page, 'JSON');
    const args = { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url, elicitationId: '1' } };
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify(args));
    await press(page, 'Run');
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    expect(await answered(page)).toEqual({ result: { action: 'decline' } });
  },
);

test('a question that its server withdraws goes, and so does one of a cancelled call', async () => {
  await using watched = await openTool('mcp__asks__ask');
  const { page } = watched;
  const form = { message: 'Well?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
  const question = await ask(page, form, { cancelAfterMs: 1_500 });
  await question.waitFor({ state: 'detached' });
  expect(await answered(page)).toMatchObject({ error: {} });
  expect(watched.problems).toEqual([]);
});

test('a tool that requires a page first is called again after it', async () => {
  await using watched = await openTool('mcp__paged__balance');
  const { page } = watched;
  await press(page, 'Run');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('dialog').filter({ has: page.locator('#server-question') });
  await question.getByText('Connect your account').waitFor();
  await question.getByText('example.com', { exact: true }).waitFor();
  await page.context().route('https://example.com/**', (route) => route.fulfill({ body: 'page' }));
  await question.getByRole('button', { name: 'Open the page' }).click();
  await question.getByText('waits until you are done on its page').waitFor();
  await question.getByRole('button', { name: 'Try again' }).click();
  await answer(page).getByText('Balance: 12').waitFor();
  expect(watched.problems).toEqual([]);
});

test('by keyboard alone', async () => {
  await using watched = await openTool('mcp__asks__ask');
  const { page } = watched;
  const question = await ask(page, {
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  });
  await tabTo(question.getByRole('textbox', { name: /^name/ }));
  await page.keyboard.type('Ann');
  await enter(question.getByRole('button', { name: 'Send to the server' }));
  await question.waitFor({ state: 'detached' });
  expect(await answered(page)).toMatchObject({ result: { content: { name: 'Ann' } } });
});

test.each([
  ['in light', { colorScheme: 'light' }],
  ['in dark', { colorScheme: 'dark' }],
  ['as wide as a phone', { viewport: { width: 390, height: 720 } }],
] as const)('%s: questions follow the rules of accessibility', async (_name, options) => {
  await using watched = await openTool('mcp__asks__ask', options);
  const { page } = watched;
  const question = await ask(page, { message: `${script} ${'long '.repeat(500)}`, requestedSchema });
  await question.getByRole('button', { name: 'Send to the server' }).click();
  await question.getByText('Missing: string').first().waitFor();
  await expectAccessible(page, 'a form');
  await page.keyboard.press('Escape');
  await answer(page).getByText('✓ ok').waitFor();
  await ask(page, { mode: 'url', message: 'Sign in', url: 'http://xn--pple-43d.example/', elicitationId: '1' });
  await expectAccessible(page, 'a page');
});
