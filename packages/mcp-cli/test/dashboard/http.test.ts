import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { methods } from '../../src/control/methods.js';
import type { ServerRow } from '../../src/control/reports.js';
import { CallHistory } from '../../src/dashboard/call-history.js';
import { openDashboard } from '../../src/dashboard/dashboard.js';
import { shownFacts } from '../../src/dashboard/page-messages.js';
import { serverView } from '../../src/dashboard/page-views.js';
import { createRecorder, type LiveEvent } from '../../src/dashboard/recorder.js';
import { firstEvents, post, request, signIn } from '../helpers/dashboard-client.js';
import { serverRow } from '../helpers/dashboard-fleet.js';
import { type DashboardStage, dashboardStage } from '../helpers/dashboard-stage.js';
import { deferred } from '../helpers/deferred.js';
import { fakeControl } from '../helpers/fake-control.js';

let pageDirectory: string;
let stage: DashboardStage;

beforeAll(async () => {
  pageDirectory = await mkdtemp(join(tmpdir(), 'mcpx-page-'));
  await writeFile(join(pageDirectory, 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(pageDirectory, 'page.js'), 'export {};');
  await writeFile(join(pageDirectory, 'secret.env'), 'nothing of the page');
  stage = await dashboardStage([{ name: 'echo', server: 'echo' }], { pageDirectory });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(pageDirectory, { recursive: true });
  await expectNoLeaks();
});

afterEach(() => stage.control.stop());

const newPage = (may: 'look' | 'operate' | 'call' = 'call') => signIn(stage.dashboard.newLink(may));

/** Has something done as the page does it: asked, confirmed, done. */
async function act(page: Awaited<ReturnType<typeof newPage>>, action: object) {
  const question = await page.post('api/admin/confirmations', action);
  return page.post('api/admin/actions', { confirmation: question.json().id });
}

describe('a request that does not come from the page itself is refused', () => {
  const foreign = {
    'a foreign host name': { host: 'attacker.example' },
    'another name of this machine': { host: 'localhost:1' },
    'a host without the port': { host: '127.0.0.1' },
    'a host in another notation': { host: '[::1]:80' },
    'an origin of somebody else': { origin: 'https://attacker.example' },
    'an origin of another port': { origin: 'http://127.0.0.1:1' },
    'an origin without a name': { origin: 'null' },
    'two origins': { origin: ['http://127.0.0.1', 'https://attacker.example'] },
    'a frame': { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    'a script of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    'a script of another port': { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  };

  test.each(Object.entries(foreign))('%s', async (_what, headers) => {
    const page = await newPage();
    for (const path of ['', 'page.js', 'api/pins', 'api/events']) {
      expect((await page.get(path, headers)).status).toBe(403);
    }
    const started = await page.post('api/admin/confirmations', { action: 'start', server: 'echo' }, headers);
    expect(started).toMatchObject({ status: 403 });
    expect(started.json().error.code).toBe('refused');
  });

  test('a request with no Host, or with two', async () => {
    const { base, cookie } = await newPage();
    expect((await request(`${base}api/pins`, { setHost: false, headers: { cookie } })).status).toBe(400);
    const host = new URL(base).host;
    const twice = await request(`${base}api/pins`, { headers: { cookie, host: [host, host] } });
    expect(twice.status).not.toBe(200);
  });

  test('a change without an Origin header, or without the header of the page', async () => {
    const { base, cookie, adminKey = '', origin } = await newPage();
    const headers = { 'content-type': 'application/json', cookie, 'x-mcpx-admin-key': adminKey };
    const body = JSON.stringify({ action: 'start', server: 'echo' });
    const ask = (more: Record<string, string>) =>
      request(`${base}api/admin/confirmations`, { method: 'POST', headers: { ...headers, ...more }, body });
    expect((await ask({ 'x-mcpx-dashboard': '1' })).status).toBe(403);
    expect((await ask({ origin })).status).toBe(403);
    expect((await ask({ origin, 'x-mcpx-dashboard': '1' })).status).toBe(200);
  });

  test('a form', async () => {
    const page = await newPage();
    const sent = await page.post('api/admin/confirmations', {}, { 'content-type': 'text/plain' });
    expect(sent.status).toBe(415);
  });

  test('navigation to the page is allowed from anywhere', async () => {
    const { base } = await newPage();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await request(base, { headers })).toMatchObject({ status: 200 });
  });
});

test('every response forbids frames, foreign loads, inline code and evaluation', async () => {
  const page = await newPage();
  const answers = [
    await page.get(''),
    await page.get('page.js'),
    await page.get('api/pins'),
    await page.get('no-such-thing'),
    await page.get('', { host: 'attacker.example' }),
    await page.post('api/session', { token: 'wrong' }),
  ];
  for (const { headers } of answers) {
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|(?<!img-src 'self' |media-src )data:/);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

describe('a link', () => {
  test('can be opened once, and no request contains its secret', async () => {
    const link = stage.dashboard.newLink('call');
    const page = await signIn(link);
    await link.opened;
    await expect(signIn(link)).rejects.toThrow('401');
    expect(new URL(link.url).search).toBe('');
    expect(page.cookie).not.toContain(page.adminKey);
  });

  test('sets a cookie that no script reads, no other site sends and no other path receives', async () => {
    const { url } = stage.dashboard.newLink('look');
    const { origin, pathname, hash } = new URL(url);
    const answer = await post(`${origin}${pathname}`, 'api/session', { token: hash.slice('#link='.length) });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^mcpx_read=[\\w-]{43}; Path=${pathname}; HttpOnly; SameSite=Strict$`)),
    ]);
    expect(answer.json()).toEqual({ may: 'look' });
  });

  test('leads to an unguessable path; other paths are not found', async () => {
    const { origin } = await newPage();
    for (const path of ['/', '/api/tools', '/index.html', `/${'0'.repeat(32)}/`, '//', '/?x']) {
      expect((await request(`${origin}${path}`)).status).toBe(404);
    }
  });
});

describe('without a session', () => {
  test.each(['search', 'describe', 'roles', 'explain', 'call'])('the method %s is refused', async (method) => {
    const { base } = await newPage();
    const headers = { 'x-mcpx-admin-key': 'guess', cookie: 'mcpx_read=wrong' };
    expect(await post(base, `api/control/${method}`, {}, headers)).toMatchObject({ status: 401 });
  });

  test.each(['api/events', 'api/logs?server=echo', 'api/pins', 'api/config', 'api/server-config?server=echo'])(
    '%s reveals nothing',
    async (path) => {
      const { base } = await newPage();
      for (const cookie of ['', 'mcpx_read=', 'mcpx_read=wrong', 'other=1; mcpx_read']) {
        const answer = await request(`${base}${path}`, { headers: { cookie } });
        expect(answer.status).toBe(401);
        expect(answer.json().error.message).toContain('mcpx dashboard');
      }
    },
  );
});

describe('with read access', () => {
  test('rejects actions with any other headers', async () => {
    const page = await newPage('look');
    const other = await newPage('call');
    expect(page.adminKey).toBeUndefined();
    for (const key of ['', 'guess', other.adminKey ?? '', page.cookie.slice('mcpx_read='.length)]) {
      const headers = { 'x-mcpx-admin-key': key };
      const asked = await page.post('api/admin/confirmations', { action: 'start', server: 'echo' }, headers);
      expect(asked).toMatchObject({ status: 403 });
      expect((await page.post('api/admin/actions', { confirmation: 'x' }, headers)).status).toBe(403);
    }
    // The cookie alone is what another program of this machine may get hold of.
    const stolen = { cookie: other.cookie };
    const asked = await post(other.base, 'api/admin/confirmations', { action: 'stop', server: 'echo' }, stolen);
    expect(asked.json().error.code).toBe('read-only');
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
  });

  test.each([
    { action: 'run', command: 'touch /tmp/owned' },
    { action: 'add', server: 'new', command: 'sh' },
    { action: 'call', server: 'echo' },
    { action: 'shutDown', server: 'echo' },
    { action: 'constructor', server: 'echo' },
    { action: ['start'], server: 'echo' },
    { action: 'start', server: ['echo'] },
    { action: 'start' },
    {},
  ])('%j is refused even for an admin', async (action) => {
    const page = await newPage();
    expect((await page.post('api/admin/confirmations', action)).status).toBe(400);
  });

  test('ignores a command that is sent with a start, because the config decides what runs', async () => {
    const page = await newPage();
    const before = (await stage.control.status()).servers.length;
    const done = await act(page, { action: 'start', server: 'echo', command: 'sh', args: ['-c', 'exit 1'] });
    expect(done.json()).toEqual({ isDone: true, message: '“echo” is started.' });
    expect((await stage.control.status()).servers).toHaveLength(before);
  });

  test('an unknown server cannot be started', async () => {
    const page = await newPage();
    const asked = await page.post('api/admin/confirmations', { action: 'start', server: 'nobody' });
    expect(asked.status).toBe(404);
  });
});

const pageMethods = [
  'usage',
  'search',
  'modelSearch',
  'describe',
  'serverHistory',
  'call',
  'roles',
  'explain',
  'access',
  'listResources',
  'listResourceTemplates',
  'listPrompts',
  'readResource',
  'getPrompt',
  'completeArgument',
  'recordedCalls',
  'findRecordedCalls',
  'configFiles',
  'serverEdit',
  'planServerEdit',
];

describe('the table of control methods decides what a page may send', () => {
  const lines = (text: string) => Array.from(text.matchAll(/.+/g), ([line]) => JSON.parse(line));
  const callEcho = { tool: 'mcp__echo__echo', args: { text: 'hello' } };

  test('a page that may call gets the result, or the failure with its hint', async () => {
    await stage.control.start({ servers: ['echo'] });
    const page = await newPage('call');
    const called = await page.post('api/control/call', callEcho);
    expect(called.headers['content-type']).toContain('application/x-ndjson');
    expect(lines(called.text)).toMatchObject([{ result: { content: [{ type: 'text', text: expect.any(String) }] } }]);
    const failed = await page.post('api/control/call', { ...callEcho, tool: 'mcp__echo__nothing' });
    expect(lines(failed.text)).toMatchObject([{ error: { code: 'unknown-tool', message: expect.any(String) } }]);
  });

  test.each(['look', 'operate'] as const)('a page that may %s calls nothing', async (may) => {
    const page = await newPage(may);
    const refused = await page.post('api/control/call', callEcho);
    expect([refused.status, refused.json().error.code]).toEqual([403, may === 'look' ? 'read-only' : 'no-calls']);
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
  });

  test.each([...Object.keys(methods).filter((name) => !pageMethods.includes(name)), 'constructor', 'toString', ''])(
    'no page can send %j',
    async (name) => {
      const page = await newPage('call');
      expect((await page.post(`api/control/${name}`, { servers: ['echo'] })).status).toBe(404);
    },
  );

  test('an edit of the config needs the second key and a confirmation, and names no program and no file', async () => {
    const file = join(stage.folder, 'mcp_servers.yaml');
    const before = await readFile(file, 'utf8');
    const [looks, page] = [await newPage('look'), await newPage('operate')];
    const edit = { server: 'echo', changes: { priority: 3 }, file: '/etc/passwd', path: '/etc/passwd' };
    const refused = await looks.post('api/control/planServerEdit', edit);
    expect([refused.status, refused.json().error.code]).toEqual([403, 'read-only']);
    const { result } = (await page.post('api/control/planServerEdit', edit)).json();
    expect(result).toMatchObject({ outcome: 'planned', file, diff: expect.stringContaining('priority: 3') });
    const action = { action: 'edit-server', ...edit, base: result.base };
    expect((await looks.post('api/admin/confirmations', action)).status).toBe(403);
    for (const changes of [
      { command: 'sh' },
      { args: ['-c'] },
      { url: 'http://127.0.0.1' },
      { env: {} },
      { trusted: true },
    ]) {
      const asked = await page.post('api/admin/confirmations', { ...action, changes });
      expect([asked.status, asked.json().error.code]).toEqual([400, 'invalid-request']);
    }
    expect((await page.post('api/admin/confirmations', { ...action, base: 'other' })).status).toBe(409);
    expect((await page.post('api/admin/confirmations', { ...action, server: 'nobody' })).status).toBe(409);
    expect((await page.post('api/admin/confirmations', { action: 'undo-edit', change: 1 })).status).toBe(400);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect((await act(page, action)).json()).toMatchObject({ isDone: true });
    expect(await readFile(file, 'utf8')).toContain('priority: 3');
    const view = await looks.post('api/control/configFiles', {});
    const { change } = view.json().result.lastEdit;
    expect((await act(page, { action: 'undo-edit', change })).json()).toMatchObject({ isDone: true });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('what is recorded needs the second key, and the switch a confirmation', async () => {
    const looks = await newPage('look');
    const operates = await newPage('operate');
    for (const method of ['recordedCalls', 'findRecordedCalls']) {
      const params = { ids: [1], text: 'x' };
      expect((await looks.post(`api/control/${method}`, params)).json().error.code).toBe('read-only');
      expect((await post(operates.base, `api/control/${method}`, params, { cookie: operates.cookie })).status).toBe(
        403,
      );
      expect((await operates.post(`api/control/${method}`, params)).json()).toEqual({ result: [] });
    }
    expect((await looks.post('api/admin/confirmations', { action: 'record-calls' })).status).toBe(403);
    expect((await operates.post('api/control/recordCalls', { isOn: true })).status).toBe(404);
    const question = (await operates.post('api/admin/confirmations', { action: 'record-calls' })).json();
    expect(question.details.join(' ')).toContain('in the memory of the daemon only');
    expect((await stage.recorder.snapshot()).recording).toMatchObject({ isOn: false });
    await operates.post('api/admin/actions', { confirmation: question.id });
    expect((await stage.recorder.snapshot()).recording).toMatchObject({ isOn: true });
    await act(operates, { action: 'stop-recording' });
    expect((await stage.recorder.snapshot()).recording).toMatchObject({ isOn: false });
  });

  test('an answer to a server needs the right to call, and the form of one', async () => {
    const answer = { id: 'x', answer: { action: 'accept', content: {} } };
    for (const may of ['look', 'operate'] as const) {
      expect((await (await newPage(may)).post('api/answers', answer)).status).toBe(403);
    }
    const page = await newPage('call');
    expect((await page.post('api/answers', answer)).json()).toEqual({ isTaken: false });
    for (const wrong of [{}, { id: 'x' }, { id: 'x', answer: { action: 'run' } }, { id: 7, answer: answer.answer }]) {
      expect((await page.post('api/answers', wrong)).status).toBe(400);
    }
  });

  test('a call that is cancelled ends at the server, too', async () => {
    const cancelled = deferred();
    const called = deferred();
    const control = fakeControl({
      status: async () => ({ servers: [] }),
      call: async ({ signal }) => {
        signal?.addEventListener('abort', () => cancelled.resolve());
        called.resolve();
        return await new Promise(() => undefined);
      },
    });
    await using here = await dashboardOver(control);
    const { base, origin, cookie, adminKey = '' } = await signIn(here.newLink('call'));
    const ended = new AbortController();
    const headers = { origin, cookie, 'x-mcpx-admin-key': adminKey, 'x-mcpx-dashboard': '1' };
    const asked = fetch(`${base}api/control/call`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(callEcho),
      signal: ended.signal,
    }).then((response) => response.text());
    await called.promise;
    ended.abort();
    await expect(asked).rejects.toThrow();
    await cancelled.promise;
  });

  test('a page that looks starts no server', async () => {
    const page = await newPage('look');
    for (const method of ['listResources', 'listResourceTemplates', 'listPrompts']) {
      const { result } = (await page.post(`api/control/${method}`, { server: 'echo', wake: true })).json();
      expect(result.items).toEqual([]);
    }
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
  });

  test('a call cannot approve itself', async () => {
    const given: unknown[] = [];
    const control = fakeControl({
      status: async () => ({ servers: [] }),
      call: async (options) => {
        given.push(options);
        return { content: [] };
      },
    });
    await using here = await dashboardOver(control);
    const page = await signIn(here.newLink('call'));
    await page.post('api/control/call', { ...callEcho, approval: 'yes', onServerRequest: 'x' });
    expect(Object.keys(given[0] as object).toSorted()).toEqual([
      'args',
      'client',
      'onProgress',
      'onServerRequest',
      'signal',
      'tool',
    ]);
    expect(given[0]).toMatchObject({ client: 'dashboard', onServerRequest: expect.any(Function) });
  });
});

/** A dashboard over a control that a test gives it. */
async function dashboardOver(control: ReturnType<typeof fakeControl>) {
  const recorder = createRecorder({ control, calls: new CallHistory() });
  const configReport = async () => ({ files: [], issues: [], moreIssues: 0, requirements: [] });
  const serverConfig = async () => ({ line: 1, layer: 'project', differences: [] });
  const dashboard = await openDashboard({ control, recorder, configReport, serverConfig, pageDirectory });
  return {
    newLink: dashboard.newLink,
    [Symbol.asyncDispose]: async () => {
      await dashboard[Symbol.asyncDispose]();
      recorder[Symbol.dispose]();
    },
  };
}

describe('an action', () => {
  test('runs once after its confirmation', async () => {
    const page = await newPage();
    const question = await page.post('api/admin/confirmations', { action: 'start', server: 'echo' });
    expect(question.json()).toMatchObject({ question: 'Start “echo”?', details: [] });
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
    const confirmation = question.json().id;
    expect((await page.post('api/admin/actions', { confirmation })).json()).toMatchObject({ isDone: true });
    expect((await stage.control.status()).servers[0]?.state).toBe('running');
    expect((await page.post('api/admin/actions', { confirmation })).status).toBe(409);
    expect((await page.post('api/admin/actions', { confirmation: 7 })).status).toBe(409);
  });

  test.each(['approve-call', 'deny-call'])('%s of a call that does not wait is refused', async (action) => {
    const page = await newPage();
    const refused = await page.post('api/admin/confirmations', { action, id: 'x' });
    expect([refused.status, refused.json().error.code]).toEqual([409, 'no-longer-waiting']);
    expect((await page.post('api/admin/confirmations', { action })).status).toBe(400);
  });

  test('of another page is not confirmed', async () => {
    const [one, other] = [await newPage(), await newPage()];
    const question = await one.post('api/admin/confirmations', { action: 'start', server: 'echo' });
    expect((await other.post('api/admin/actions', { confirmation: question.json().id })).status).toBe(409);
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
  });

  test('reports its consequences first', async () => {
    await stage.control.start({ servers: ['echo'] });
    const page = await newPage();
    const { details } = (await page.post('api/admin/confirmations', { action: 'stop', server: 'echo' })).json();
    expect(details).toEqual([
      expect.stringMatching(/^Its process \d+ ends\.$/),
      'The next call of one of its tools starts it again.',
    ]);
    expect((await act(page, { action: 'restart', server: 'echo' })).json()).toMatchObject({ isDone: true });
    expect((await act(page, { action: 'stop', server: 'echo' })).json()).toMatchObject({ isDone: true });
    expect((await stage.control.status()).servers[0]?.state).toBe('stopped');
  });
});

describe('bad input', () => {
  test.each([
    ['no JSON', '{', 400],
    ['a list', '[]', 400],
    ['nothing', '', 400],
    ['too much', JSON.stringify({ token: 'x'.repeat(100_000) }), 413],
  ])('%s is refused', async (_what, body, status) => {
    const { base, origin } = await newPage();
    const headers = { origin, 'content-type': 'application/json', 'x-mcpx-dashboard': '1' };
    expect((await request(`${base}api/session`, { method: 'POST', headers, body })).status).toBe(status);
  });

  test.each([
    '../package.json',
    '..%2fpackage.json',
    'secret.env',
    'constructor',
    'api/constructor',
    'api/',
    'api/admin/run',
  ])('there is no %s', async (path) => {
    expect((await (await newPage()).get(path)).status).toBe(404);
  });

  test.each(['PUT', 'DELETE', 'OPTIONS', 'TRACE'])('%s is not served', async (method) => {
    const { base, cookie } = await newPage();
    expect((await request(`${base}api/pins`, { method, headers: { cookie } })).status).toBe(403);
  });

  test('errors of a control keep their message', async () => {
    const page = await newPage();
    const unknown = await page.post('api/control/describe', { tool: 'nothing' });
    expect([unknown.status, unknown.json().error.code]).toEqual([404, 'unknown-tool']);
    expect((await page.post('api/control/describe', {})).json().error).toMatchObject({ code: 'invalid-request' });
    expect((await page.get('api/logs?server=nobody')).status).toBe(404);
    const request = { query: '(', useRegex: true };
    const pattern = await page.post('api/control/search', { request });
    expect([pattern.status, pattern.json().error.code]).toEqual([400, 'invalid-pattern']);
  });
});

test('tools, roles, approvals and the config can be read', async () => {
  await stage.control.start({ servers: ['echo'] });
  const page = await newPage('look');
  const { result: found } = (
    await page.post('api/control/search', { request: { query: 'echo', server: 'echo' } })
  ).json();
  expect(found.tools[0]).toMatchObject({ name: 'mcp__echo__echo', server: 'echo', tool: 'echo', state: 'running' });
  const described = (await page.post('api/control/describe', { tool: 'mcp__echo__echo' })).json();
  expect(described.result.signature).toContain('mcp__echo__echo(');
  expect((await page.post('api/control/roles', {})).json()).toEqual({ result: [] });
  expect((await page.get('api/pins')).json()).toMatchObject({ total: 0, pins: [] });
  expect((await page.get('api/config')).json()).toMatchObject({ files: [expect.any(String)], requirements: [] });
});

test('a page receives a snapshot, then each change', async () => {
  const { base, cookie } = await newPage('look');
  let work: Promise<unknown> | undefined;
  const [first, ...later] = await firstEvents(`${base}api/events`, cookie, (all) => {
    work ??= stage.control
      .start(['echo'])
      .then(() => stage.control.call({ tool: 'mcp__echo__echo', args: { text: 'kept to itself' } }));
    return all.some(({ changes }) => changes?.calls.some(({ outcome }: { outcome: string }) => outcome === 'ok'));
  });
  await work;
  expect(first).toMatchObject({
    type: 'snapshot',
    snapshot: {
      at: expect.any(Number),
      daemon: { pid: 4_711 },
      servers: [{ name: 'echo' }],
      samples: { echo: expect.any(Array) },
    },
  });
  const servers = later.flatMap(({ changes }) => changes.servers);
  expect(servers).toContainEqual(expect.objectContaining({ name: 'echo', state: 'running' }));
  expect(later.at(-1).changes.calls).toMatchObject([{ tool: 'mcp__echo__echo', server: 'echo', outcome: 'ok' }]);
  expect(JSON.stringify(later)).not.toContain('kept to itself');
});

test('the config of an unknown server is refused', async () => {
  const page = await newPage('look');
  const refused = await page.get('api/server-config?server=nobody');
  expect([refused.status, refused.json().error.code]).toEqual([404, 'unknown-server']);
});

test('no message to a page contains a secret of a server', async () => {
  const secret = 'sentinel-4f1d9c20a7';
  await using here = await dashboardStage(
    [{ name: 'leaky', server: 'exits-at-once', args: ['--stderr', `said: \${SECRET_WORD}`] }],
    { pageDirectory, env: { SECRET_WORD: secret } },
  );
  await here.control.start();
  const page = await signIn(here.dashboard.newLink('call'));
  const done = await act(page, { action: 'start', server: 'leaky' });
  const logs = await firstEvents(`${page.base}api/logs?server=leaky`, page.cookie, (lines) => lines.length > 0);
  const state = await firstEvents(`${page.base}api/events`, page.cookie, (all) => all.length > 0);
  expect(done.json().isDone).toBe(false);
  expect(logs[0].lines[0].line).toMatch(/^said: /);
  const file = join(here.folder, 'mcp_servers.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace('said:', 'told:'));
  const config = await page.get('api/server-config?server=leaky');
  expect(config.json().differences).toMatchObject([{ field: 'args', now: expect.stringContaining('told: ') }]);
  const all = [
    done.text,
    JSON.stringify(logs),
    JSON.stringify(state),
    (await page.get('api/config')).text,
    config.text,
  ];
  for (const text of all) expect(text).not.toContain(secret);

  const odd = `mcp_servers:
  leaky:
    command: node
    env:
      # API_KEY: oldcommentkey123
      PASSWORD: 'it''s-secret-1'
      TOKEN: "multi
        linesecret99"
`;
  await writeFile(file, odd);
  const { entry } = (await page.get('api/server-config?server=leaky')).json();
  expect(entry).toMatch(/^leaky:\n {2}command: node\n[\s\S]*PASSWORD: /);
  for (const part of ['oldcommentkey123', 's-secret-1', 'multi', 'linesecret99']) expect(entry).not.toContain(part);
});

test('a role that is named again and again is one column, and others are refused', async () => {
  const tools =
    'tools:\n  a: { mcp_tools: { required: [echo] }, role_restrictions: { review: { allowed_tools: [echo.echo] } } }\n';
  await using here = await dashboardStage([{ name: 'echo', server: 'echo' }], {
    pageDirectory,
    files: { 'tools.yaml': tools },
  });
  const page = await signIn(here.dashboard.newLink('look'));
  const access = async (...roles: string[]) => (await page.post('api/control/access', { roles })).json();
  expect((await access(...Array.from({ length: 2_000 }, () => 'review'))).result.roles).toEqual(['review']);
  expect(await access('review', 'absent')).toHaveProperty('error');
});

describe('long texts of servers', () => {
  const description = `${'word '.repeat(100_000)}\u{1f600}`;
  const tool = {
    name: 'mcp__echo__big',
    server: 'echo',
    tool: 'big',
    title: description,
    description,
    state: 'running',
  };
  const held = { server: 'echo', tool: 'big', trust: 'pending', digest: 'd', findings: [] };

  async function page(parts: Parameters<typeof fakeControl>[0]) {
    const here = await dashboardOver(fakeControl({ status: async () => ({ servers: [] }), ...parts }));
    return { client: await signIn(here.newLink('call')), [Symbol.asyncDispose]: here[Symbol.asyncDispose] };
  }

  test('are cut for a page that looks', async () => {
    await using here = await page({
      search: async () => ({ total: 1, tools: [tool] }) as never,
      describe: async () => ({ tool: { ...tool, inputSchema: { title: description } } }) as never,
    });
    for (const [method, params] of [
      ['search', { request: { query: '*' } }],
      ['describe', { tool: 'x' }],
    ] as const) {
      const { text } = await here.client.post(`api/control/${method}`, params);
      expect(text.length).toBeLessThan(70_000);
      expect(text).toMatch(/word… \(480,002 more characters are not shown here\)"/);
    }
  });

  test('marks a cut definition, so that only complete ones can be approved', async () => {
    await using here = await page({
      pins: async () => ({ trust: { default: 'approve' }, tools: [held, { ...held, tool: 'small' }] }) as never,
      pinDiff: async ({ tool: name }) => (name === 'small' ? '+small' : description),
    });
    const { pins } = (await here.client.get('api/pins')).json();
    expect(pins).toMatchObject([
      { tool: 'big', isCut: true },
      { tool: 'small', isCut: false, diff: '+small' },
    ]);
    expect(pins[0].diff.length).toBe(50_000);
  });

  test('reports the first problems of a server with thousands, and the number of others', async () => {
    const catalogProblems = Array.from({ length: 5_000 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
    const row = { name: 'echo', state: 'running', lastError: description, catalogProblems } as unknown as ServerRow;
    const view = serverView(row, 0);
    expect(view.catalogProblems).toHaveLength(21);
    expect(view.catalogProblems.at(-1)).toBe('and 4980 more');
    expect(JSON.stringify(view).length).toBeLessThan(50_000);
  });
});

test('a field that the page does not show stays in the daemon', () => {
  const row = { ...serverRow('echo'), cachedAt: 1, replaces: '/home/me/mcp_servers.yaml:3', secret: 'x' };
  expect(Object.keys(serverView(row, 0))).toEqual([...shownFacts, 'startedAt', 'retryAt']);
});

test('an unchanged server is not reported again', async () => {
  const row = {
    name: 'echo',
    state: 'running',
    health: 'healthy',
    uptimeMs: 5,
    catalogProblems: [],
  } as unknown as ServerRow;
  let at = 1_000;
  const control = fakeControl({ status: async () => ({ servers: [{ ...row, uptimeMs: at - 900 }] }) });
  using recorder = createRecorder({ control, calls: new CallHistory(), now: () => at });
  const told: LiveEvent[] = [];
  using _listening = recorder.onEvent((happening) => told.push(happening));
  for (; at < 20_000; at += 1_003) await recorder.sample();
  expect(told).toHaveLength(1);
});
