import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { removeLinkFile, writeLinkFile } from '../../src/dashboard/link-file.js';
import { expectAccessible } from '../helpers/accessible.js';
import { openPage, openServers, type WatchedPage } from '../helpers/browser.js';
import { browserStage, fixtureEntry } from '../helpers/browser-stage.js';
import { enter, focusedText, tabTo } from '../helpers/keyboard.js';

const tools = `
tools:
  reviewer:
    mcp_tools: { required: [echo], recommended: [absent] }
    role_restrictions:
      review: { allowed_tools: [echo.echo] }
      careful: { allowed_tools: [echo.echo], ask_before: [echo] }
      wide: { allowed_tools: [echo.echo, hostile.linked, echo.nothing, 'gone<b>.echo'] }
`;

const stage = browserStage(
  [
    { name: 'echo', server: 'echo' },
    { name: 'second', server: 'echo', fields: { auto_start: false } },
    { name: 'dead', server: 'exits-at-once', args: ['--stderr', 'last words'], fields: { auto_start: false } },
  ],
  { files: { 'tools.yaml': tools }, entries: { hostile: fixtureEntry('hostile-tools') } },
);

/** The dashboard in a browser of its own, signed in, with its first picture on the screen. */
async function openDashboardPage(
  options: BrowserContextOptions = {},
  may: 'look' | 'operate' | 'call' = 'call',
): Promise<WatchedPage> {
  const watched = await openServers(stage.browser, stage.dashboard.newLink(may).url, options);
  await card(watched.page, 'echo').waitFor();
  return watched;
}

const card = (page: Page, name: string) =>
  page.locator('.card').filter({ has: page.getByRole('link', { name, exact: true }) });
const inNavigation = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true });
const view = (page: Page, name: string) => inNavigation(page, name).click();
const shows = (page: Page, name: string, text: string) => card(page, name).getByText(text).first().waitFor();
const rowOf = async (name: string) => (await stage.control.status()).servers.find((row) => row.name === name);

/** The page had no errors and sent requests only to its own server. */
function expectClean({ page, problems, requested }: WatchedPage): void {
  expect(problems).toEqual([]);
  const { origin } = new URL(page.url());
  expect(requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
}

describe('the page', () => {
  test('shows that a server is killed and restarted', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await shows(page, 'echo', 'running');
    const { pid = 0, restarts = 0 } = (await rowOf('echo')) ?? {};
    await page.getByRole('link', { name: 'echo', exact: true }).click();
    const processOf = page.locator('.facts-list div').filter({ hasText: 'Process' }).locator('dd');
    expect(await processOf.textContent()).toBe(String(pid));
    process.kill(pid, 'SIGKILL');
    await shows(page, 'echo', `${restarts + 1} restart`);
    await shows(page, 'echo', 'running');
    const again = (await rowOf('echo'))?.pid;
    expect(again).not.toBe(pid);
    await processOf.getByText(String(again), { exact: true }).waitFor();
    const history = await page.locator('.detail svg').first().getAttribute('aria-label');
    expect(history).toMatch(/starting since .*running since/);
    expectClean(watched);
  });

  test('finds tools by words and patterns, and reports an invalid pattern', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await view(page, 'Tools');
    await page.getByRole('searchbox', { name: 'Search' }).fill('echo a text');
    await page.getByRole('link', { name: 'echo of echo', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Server' }).selectOption('echo');
    await page.getByText(/^\d of \d shown$/).waitFor();
    await page.getByRole('checkbox', { name: 'Regular expression' }).check();
    await page.getByRole('searchbox', { name: 'Search' }).fill('(');
    await page
      .getByRole('status')
      .getByText(/pattern/i)
      .waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('^echo$');
    await page.getByRole('link', { name: 'echo of echo', exact: true }).click();
    await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
    await page.getByText('mcp__echo__echo', { exact: true }).waitFor();
    await page.getByRole('link', { name: '← All tools' }).click();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('^echo$');
    expect(await page.getByRole('checkbox', { name: 'Regular expression' }).isChecked()).toBe(true);
    // The daemon answers a bad pattern with an error, which browsers write to the console; nothing else is there.
    expect(watched.problems.filter((text) => !text.includes('400'))).toEqual([]);
  });

  test('shows a call with its duration and outcome as it happens', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await view(page, 'Calls');
    await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'not to be shown' } });
    const row = page.getByRole('row').filter({ hasText: 'mcp__echo__echo' }).first();
    await row.getByText('✓ ok').waitFor();
    expect(await row.textContent()).toMatch(/\d+ ms/);
    await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'review' });
    await page.getByRole('row').filter({ hasText: 'review' }).first().waitFor();
    await stage.control.call({ tool: 'mcp__second__echo', args: { text: 'x' }, role: 'review' }).catch(() => undefined);
    await page.getByText('○ refused').first().waitFor();
    expect(await page.content()).not.toContain('not to be shown');
    expectClean(watched);
  });

  test('starts and stops a server after confirmation', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await page.getByRole('link', { name: 'second', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Start “second”?').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await rowOf('second'))?.state).toBe('stopped');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('status').getByText('“second” is started.').waitFor();
    await shows(page, 'second', 'running');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByText(/^Its process \d+ ends\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('status').getByText('“second” is stopped.').waitFor();
    await shows(page, 'second', 'stopped');
    expectClean(watched);
  });

  test('shows why a server does not start, with its last output', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await page.getByRole('link', { name: 'dead', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await shows(page, 'dead', 'failed');
    await page.getByRole('log').getByText('last words').first().waitFor();
    await card(page, 'dead').locator('.error').waitFor();
    expectClean(watched);
  });

  test('shows which role may use which tool, and why, and the differences of two roles', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await view(page, 'Access');
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'echo.echo', exact: true }) });
    await row.getByText('✓ allowed').first().waitFor();
    await row.getByText('◐ asks first').waitFor();
    const notes = page.getByRole('list', { name: 'Rules that match nothing, or several servers' });
    await notes.getByText('echo.nothing').waitFor();
    await notes.getByText('no server "gone<b>" is configured').waitFor();
    await page.getByRole('button', { name: 'echo.echo', exact: true }).click();
    const reasons = page.getByRole('list', { name: 'Reasons for echo.echo' });
    await reasons.getByText('The role "review" may use "echo"').waitFor();
    await reasons.getByText('Each call needs an approval').waitFor();
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('review');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('wide');
    await page.getByText('1 tool about which “review” and “wide” differ').waitFor();
    await page.getByRole('button', { name: 'hostile.linked', exact: true }).waitFor();
    expect(page.url()).toContain('one=review&other=wide');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('careful');
    await page.getByText('1 tool about which “review” and “careful” differ').waitFor();
    await row.getByText('◐ asks first').waitFor();
    await page.getByRole('searchbox', { name: 'Tool' }).fill('no such tool');
    await page.getByText('0 tools about which').waitFor();
    expectClean(watched);
  });

  test('shows a held back tool with its text, and approves it after confirmation', async () => {
    await stage.control.setTrust({ mode: 'approve', servers: ['hostile'] });
    try {
      await using watched = await openDashboardPage();
      const { page } = watched;
      await view(page, 'Access');
      const pin = page.getByRole('listitem').filter({ hasText: 'hostile.scripted' });
      await pin.getByText('not approved yet').waitFor();
      await pin
        .getByRole('region', { name: 'Text of hostile.scripted' })
        .getByText('window.attacked = "title"')
        .waitFor();
      await pin.getByRole('button', { name: 'Approve' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Approve “scripted” of “hostile”?').waitFor();
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('status').getByText('“scripted” of “hostile” is approved.').waitFor();
      await pin.waitFor({ state: 'detached' });
      expect((await stage.control.pins({ server: 'hostile' })).tools).toMatchObject([
        { name: '(instructions of hostile)', trust: 'pending' },
        { tool: 'linked', trust: 'pending' },
        { tool: 'scripted', trust: 'trusted' },
        { tool: 'turned', trust: 'pending' },
      ]);
      expect(await page.evaluate('window.attacked')).toBeUndefined();
      expectClean(watched);
    } finally {
      await stage.control.setTrust({ mode: 'all', servers: ['hostile'] });
    }
  });

  test('shows a call that waits with hostile arguments, and lets it run or refuses it after confirmation', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    const text = '<img src=x onerror="window.attacked=1">\u202e\u001b[2J';
    const ask = () => stage.control.call({ tool: 'mcp__echo__echo', args: { text }, role: 'careful' });
    const approved = ask();
    await page.getByRole('navigation').getByText('1 waiting').click();
    const waiting = page.getByRole('listitem').filter({ hasText: 'echo.echo' });
    const shown = waiting.getByRole('region', { name: 'Call of echo.echo' });
    await shown.getByText('"text": "<img src=x onerror=').waitFor();
    expect(await shown.textContent()).toContain('\\u202e\\u001b[2J');
    expect(await shown.textContent()).toContain('Caller: role "careful"');
    await waiting.getByText(/[34] min left|5 min left/).waitFor();
    const dialog = page.getByRole('dialog');
    await waiting.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText('Let this call run, once?').waitFor();
    await dialog.getByText('"text": "<img src=x').waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').getByText('The call is approved.').waitFor();
    expect(await approved).toMatchObject({ content: [{ text: expect.stringContaining(text) }] });
    await waiting.waitFor({ state: 'detached' });

    await view(page, 'Access');
    const denied = ask().catch((error: Error) => error.message);
    await shown.getByText('"text": "<img src=x onerror=').waitFor();
    await expectAccessible(page, 'access with a call that waits');
    await waiting.getByRole('button', { name: 'Deny' }).press('Enter');
    await dialog.getByRole('button', { name: 'Deny' }).click();
    expect(await denied).toContain('was denied. It was not run');
    await waiting.waitFor({ state: 'detached' });
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expectClean(watched);
  });

  test('shows a call that waits without buttons on a read-only page', async () => {
    const withdrawn = new AbortController();
    const { signal } = withdrawn;
    const call = stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' }, role: 'careful', signal });
    await using watched = await openDashboardPage({}, 'look');
    const { page } = watched;
    await page.getByRole('navigation').getByText('1 waiting').click();
    const waiting = page.getByRole('listitem').filter({ hasText: 'echo.echo' });
    await waiting.getByRole('region', { name: 'Call of echo.echo' }).waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    await view(page, 'Access');
    await waiting.getByRole('region', { name: 'Call of echo.echo' }).waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    withdrawn.abort(new Error('given up'));
    await expect(call).rejects.toThrow('given up');
    await waiting.waitFor({ state: 'detached' });
    expectClean(watched);
  });

  test('shows the requirements of tools and the issues of the current files', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await view(page, 'Config');
    await page.getByRole('list', { name: 'Requirements' }).getByText('degraded').waitFor();
    const file = join(stage.folder, 'tools.yaml');
    await writeFile(file, `${tools}    binari: claude\n`);
    try {
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('list', { name: 'Issues' }).getByText('binari').waitFor();
    } finally {
      await writeFile(file, tools);
    }
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('binari').first().waitFor({ state: 'detached' });
    expectClean(watched);
  });

  test('opened with a read-only link offers no action, and its address contains no secret', async () => {
    await using watched = await openDashboardPage({}, 'look');
    const { page } = watched;
    await page.getByRole('link', { name: 'echo', exact: true }).click();
    await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
    await page.getByRole('log').waitFor();
    for (const name of ['Start', 'Stop', 'Restart']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    await page.getByText('This page can only look.').waitFor();
    expect(page.url()).not.toContain('link=');
    await page.reload();
    await page.getByRole('heading', { name: 'echo', exact: true }).waitFor();
    expectClean(watched);
  });

  test('is opened by a file that leads to the link', async () => {
    const file = await writeLinkFile(stage.folder, stage.dashboard.newLink('call').url);
    try {
      await using watched = await openServers(stage.browser, pathToFileURL(file).href);
      await card(watched.page, 'echo').waitFor();
      expect(watched.problems).toEqual([]);
    } finally {
      await removeLinkFile(file);
    }
  });

  test('opened with a used link shows what to do', async () => {
    const { url } = stage.dashboard.newLink('call');
    await using first = await openServers(stage.browser, url);
    await card(first.page, 'echo').waitFor();
    await using second = await openPage(stage.browser, url);
    await second.page.getByText('Run "mcpx dashboard" for a new one').waitFor();
  });
});

describe('malicious texts', () => {
  test('are shown unchanged, and run, load and link nothing', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await view(page, 'Tools');
    await page.getByRole('combobox', { name: 'Server' }).selectOption('hostile');
    for (const tool of ['scripted', 'linked', 'turned']) {
      await page.getByRole('link', { name: `${tool} of hostile`, exact: true }).click();
      await page.getByText('Schema of the arguments').click();
      await page.locator('.definition pre').getByText('<script>x</script>').waitFor();
      if (tool === 'scripted') {
        await page.getByText('<script>window.attacked = "title"</script>').waitFor();
        await page.getByText('<img src="http://attacker.example/beacon"').waitFor();
      }
      if (tool === 'linked') {
        const links = page.locator('.definition .description a');
        expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
          'https://docs.example/page',
        ]);
        expect(await links.first().getAttribute('rel')).toContain('noreferrer');
        await page.getByText('javascript:alert(1)').waitFor();
      }
      if (tool === 'turned') {
        const spelled = await page.locator('.definition .description .hidden-character').allTextContents();
        expect(spelled).toEqual(['U+202E', 'U+202C', 'U+200B', 'U+001B', 'U+E0041']);
      }
      await page.getByRole('link', { name: '← All tools' }).click();
    }
    await view(page, 'Servers');
    await page.getByRole('link', { name: 'hostile', exact: true }).click();
    await page.getByRole('log').getByText('<img src=x onerror="window.attacked = 4">').waitFor();
    await page.getByRole('log').getByText('U+202E').first().waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await page.locator('main script, main iframe, main img, main style').count()).toBe(0);
    expectClean(watched);
  });
});

describe('a page of another port of this machine', () => {
  test('can neither frame it nor act through it, although the browser is signed in', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    const address = page.url().split('#', 1)[0] ?? '';
    await using other = await serveText('<!doctype html><iframe id="frame"></iframe>');
    const foreign = await page.context().newPage();
    await foreign.goto(other.url);
    const framed = foreign.waitForEvent('response', (response) => response.url() === address);
    await foreign.evaluate(`document.querySelector('#frame').src = ${JSON.stringify(address)}`);
    expect((await framed).status()).toBe(403);
    const sent = await foreign.evaluate(`fetch(${JSON.stringify(`${address}api/admin/confirmations`)}, {
      method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"action":"stop","server":"echo"}',
    }).then(() => 'answered', () => 'kept from it')`);
    expect(sent).toBe('kept from it');
    expect((await rowOf('echo'))?.state).toBe('running');
  });
});

/** A web page of a program of this machine that is not ours. */
async function serveText(text: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(text));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('accessibility', () => {
  const screens: Readonly<Record<string, BrowserContextOptions>> = {
    'in light': { colorScheme: 'light' },
    'in dark': { colorScheme: 'dark' },
    'as wide as a phone': { viewport: { width: 360, height: 720 } },
  };

  test.each(Object.entries(screens))(
    '%s: every view follows the rules of accessibility and fits the screen',
    async (_name, options) => {
      await stage.control.setTrust({ mode: 'approve', servers: ['hostile'] });
      try {
        await using watched = await openDashboardPage(options);
        const { page } = watched;
        const check = (what: string) => expectAccessible(page, what);
        await check('servers');
        await page.getByRole('link', { name: 'hostile', exact: true }).click();
        await page.getByRole('log').getByText('window.attacked').first().waitFor();
        await check('a server');
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        await page.getByRole('dialog').getByRole('listitem').first().waitFor();
        await check('a question');
        await page.keyboard.press('Escape');
        await view(page, 'Tools');
        await page.getByRole('list', { name: 'Tools' }).getByRole('link').first().waitFor();
        await check('tools');
        await page.getByRole('link', { name: 'echo of echo', exact: true }).click();
        await page.getByText('Schema of the arguments').click();
        await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
        await check('a tool');
        await stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'x' } });
        await view(page, 'Calls');
        await page.getByText('✓ ok').first().waitFor();
        const long = { text: `${'x'.repeat(300)} ${'y'.repeat(8_000)}` };
        const waits = stage.control
          .call({ tool: 'mcp__echo__echo', args: long, role: 'careful' })
          .catch(() => undefined);
        await page.getByRole('region', { name: 'All arguments of echo.echo' }).waitFor();
        await check('calls');
        const [waiting] = await stage.control.approvals();
        await stage.control.answerApproval({ id: waiting?.id ?? '', isApproved: false, by: 'command' });
        await waits;
        await page.getByRole('region', { name: 'Call of echo.echo' }).waitFor({ state: 'detached' });
        await view(page, 'Access');
        await page.getByText('hostile.turned').first().waitFor();
        await page.getByRole('group', { name: 'Tools by role' }).waitFor();
        await page.getByRole('button', { name: 'echo.echo', exact: true }).click();
        await check('access');
        await view(page, 'Config');
        await page.getByRole('list', { name: 'Requirements' }).getByText('degraded').waitFor();
        await check('config');
        expectClean(watched);
      } finally {
        await stage.control.setTrust({ mode: 'all', servers: ['hostile'] });
      }
    },
  );

  test('keyboard alone: show a server, stop it, start it, find a tool', async () => {
    await stage.control.start({ servers: ['second'] });
    await using watched = await openDashboardPage();
    const { page } = watched;
    await shows(page, 'second', 'running');
    await enter(page.getByRole('link', { name: 'second', exact: true }));
    await page.getByRole('heading', { name: 'second', exact: true }).waitFor();
    await expect.poll(() => focusedText(page)).toBe('second'); // reading goes on at the heading
    const dialog = page.getByRole('dialog');
    await enter(page.getByRole('button', { name: 'Stop', exact: true }));
    await dialog.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focusedText(page)).toBe('Stop'); // and comes back to where it was
    await page.keyboard.press('Enter');
    await enter(dialog.getByRole('button', { name: 'Stop', exact: true }));
    await shows(page, 'second', 'stopped');
    await enter(inNavigation(page, 'Tools'));
    await page.getByRole('searchbox', { name: 'Search' }).waitFor();
    await expect.poll(() => focusedText(page)).toBe('Tools');
    await page.keyboard.press('Tab');
    await page.keyboard.type('echo');
    await page.getByRole('link', { name: 'echo of echo', exact: true }).waitFor();
    expectClean(watched);
  });

  test('keyboard alone: read a held back tool, and approve it', async () => {
    await stage.control.setTrust({ mode: 'approve', servers: ['hostile'] });
    try {
      await using watched = await openDashboardPage();
      const { page } = watched;
      await enter(inNavigation(page, 'Access'));
      await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
      await tabTo(page.getByRole('region', { name: 'Text of hostile.linked' })); // what scrolls is reached, too
      const approve = page.getByRole('button', { name: 'Approve hostile.linked' });
      await enter(approve);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Approve “linked” of “hostile”?').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await expect.poll(() => focusedText(page)).toBe('Approve hostile.linked');
      await page.keyboard.press('Enter');
      await enter(dialog.getByRole('button', { name: 'Approve' }));
      await page.getByRole('status').getByText('“linked” of “hostile” is approved.').waitFor();
      await approve.waitFor({ state: 'detached' });
      await tabTo(page.getByRole('button', { name: /^Approve hostile\./ }).last(), { maxPresses: 12 }); // goes on from there
      expectClean(watched);
    } finally {
      await stage.control.setTrust({ mode: 'all', servers: ['hostile'] });
    }
  });

  test('keyboard alone: compare two roles, and read the reasons for a tool', async () => {
    await using watched = await openDashboardPage();
    const { page } = watched;
    await enter(inNavigation(page, 'Access'));
    await tabTo(page.getByRole('combobox', { name: 'Role', exact: true }));
    await page.keyboard.type('review');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wide');
    await page.getByText('1 tool about which “review” and “wide” differ').waitFor();
    const tool = page.getByRole('button', { name: 'hostile.linked', exact: true });
    await tabTo(tool);
    await page.keyboard.press('Space');
    await page.getByRole('list', { name: 'Reasons for hostile.linked' }).getByText('The role "wide"').waitFor();
    await enter(page.getByRole('link', { name: 'The tool', exact: true }), { maxPresses: 1 });
    await page.getByRole('heading', { name: 'linked', exact: true }).waitFor();
    await expect.poll(() => focusedText(page)).toBe('linked');
    expectClean(watched);
  });
});
