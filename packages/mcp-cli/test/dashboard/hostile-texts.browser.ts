import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openServers } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';

const script = '<img src=x onerror="window.attacked = 5">';
const tools = `
tools:
  reviewer:
    role_restrictions:
      wide: { allowed_tools: [hostile.linked] }
`;

const stage = browserStage([], {
  files: { 'tools.yaml': tools },
  entries: { hostile: fixtureEntry('hostile-tools') },
});

/** Runs in the page: what a text of a server has done to it. */
function harmIn() {
  const attributes = [...document.body.querySelectorAll('*')].flatMap((element) => [...element.attributes]);
  const active = 'script, iframe, object, embed, style, base, meta, link, img:not([src^="data:image/"])';
  const hidden = /(?![\t\n])[\p{Cc}\p{Cf}]/u;
  return {
    attacked: (globalThis as { attacked?: unknown }).attacked ?? 'no',
    elements: [...document.body.querySelectorAll(`:not(noscript) > :is(${active})`)].map(({ outerHTML }) => outerHTML),
    handlers: attributes.filter(({ name }) => name.startsWith('on')).length,
    links: attributes.filter(({ name, value }) => name === 'href' && !/^(#|https?:)/.test(value)).length,
    hidden: [document.body.textContent, ...attributes.map(({ value }) => value)].filter((text) => hidden.test(text)),
  };
}

async function expectUnharmed(page: Page, where: string): Promise<void> {
  const unharmed = { attacked: 'no', elements: [], handlers: 0, links: 0, hidden: [] };
  expect(await page.evaluate(harmIn), where).toEqual(unharmed);
}

/** Each with what is drawn last there. */
const places = [
  ['#/overview', 'table.usage tbody tr'],
  ['#/servers?show=cards', '.card'],
  ['#/servers?show=table', '.server-table tbody tr'],
  ['#/servers/hostile', '.changes li'],
  ['#/servers/hostile?tab=tools', '.detail li'],
  ['#/servers/hostile?tab=resources', '.detail li'],
  ['#/servers/hostile?tab=prompts', '.detail li'],
  ['#/servers/hostile?tab=calls', '.detail li'],
  ['#/servers/hostile?tab=config', '.detail pre'],
  ['#/tools?server=hostile', 'main li'],
  ['#/tools/mcp__hostile__scripted', '.run .field'],
  ['#/tools/mcp__hostile__linked', '.run .field'],
  ['#/tools/mcp__hostile__turned', '.run .field'],
  ['#/search?q=script%20linked', 'main li'],
  ['#/calls', '.call-table tbody tr'],
  ['#/access', '.matrix td'],
  ['#/config', '.source'],
  ['#/config/hostile', '.server-editor .field'],
] as const;

test('texts of a hostile server run, load, link and hide nothing on any view', async () => {
  await stage.control.recordCalls({ isOn: true });
  const args = { '<b>x</b>': `${script}\u202e` };
  await stage.control.call({ tool: 'mcp__hostile__scripted', args });
  await stage.control.call({ tool: 'mcp__hostile__scripted', args, role: 'wide' }).catch(() => undefined);
  await stage.control.call({ tool: 'mcp__hostile__linked', args }).catch(() => undefined);
  const { calls } = await stage.recorder.snapshot();
  expect(calls.map(({ outcome }) => outcome)).toEqual(['ok', 'refused', 'failed']);

  await using watched = await openServers(stage.browser, stage.dashboard.newLink('call').url);
  const { page } = watched;
  for (const [address, drawn] of places) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator(drawn).first().waitFor();
    await expectUnharmed(page, address);
  }
  for (const { id, record } of calls) {
    await page.evaluate(`location.hash = "#/calls/${id}"`);
    const shown =
      record === undefined ? page.getByText('were not recorded') : page.getByRole('group', { name: 'Arguments' });
    await shown.waitFor();
    await expectUnharmed(page, `call ${id}`);
  }
  const { origin } = new URL(page.url());
  expect(watched.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(watched.problems).toEqual([]);
});

test('a hostile resource, a hostile prompt and tools that are held back do no harm either', async () => {
  await using watched = await openServers(stage.browser, stage.dashboard.newLink('call').url);
  const { page } = watched;
  for (const [tab, run] of [
    ['resources', 'Read'],
    ['prompts', 'Preview'],
  ] as const) {
    await page.evaluate(`location.hash = "#/servers/hostile?tab=${tab}"`);
    await page.getByRole('button', { name: /^Open/ }).first().click();
    const form = page.locator('.panel.run');
    for (const field of await form.getByRole('textbox').all()) await field.fill(script);
    await form.getByRole('button', { name: run, exact: true }).click();
    await form.locator('.result, [aria-label=Messages]').getByText(script).first().waitFor();
    await expectUnharmed(page, tab);
  }
  await stage.control.setTrust({ mode: 'approve', servers: ['hostile'] });
  try {
    await page.evaluate('location.hash = "#/access"');
    for (const tool of ['scripted', 'linked', 'turned']) {
      await page
        .getByRole('listitem')
        .filter({ hasText: `hostile.${tool}` })
        .first()
        .waitFor();
    }
    await expectUnharmed(page, 'approvals');
    await page.evaluate('location.hash = "#/overview"');
    await page.locator('.attention > li').first().waitFor();
    await expectUnharmed(page, 'the overview');
  } finally {
    await stage.control.setTrust({ mode: 'all', servers: ['hostile'] });
  }
  expect(watched.problems).toEqual([]);
});
