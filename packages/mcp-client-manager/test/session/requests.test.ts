import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { startModernHttp } from '../helpers/modern-http.js';
import { openSession } from '../helpers/open-session.js';
import { startScriptedHttp } from '../helpers/scripted-http.js';
import { failureOf, managerOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

describe('a request', () => {
  test('returns the result unchanged, with unknown keys', async () => {
    await using opened = await openSession('resources-and-prompts');
    const result = await opened.session.request('resources/read', { uri: 'test://a' }, { signal });
    expect(result).toEqual({
      contents: [{ uri: 'test://a', mimeType: 'text/plain', text: 'the text of test://a', 'x-extra': 1 }],
      _meta: {},
      'x-extra': { kept: true },
    });
  });

  test('sends _meta, in params and as an option', async () => {
    await using opened = await openSession('resources-and-prompts');
    const params = { uri: 'test://a', _meta: { mine: 1, traceparent: 'replaced' } };
    const meta = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=b' };
    const result = await opened.session.request('resources/read', params, { signal, meta });
    expect(result._meta).toEqual({ received: { mine: 1, ...meta } });
  });

  test('fails with the code and data of the server', async () => {
    await using opened = await openSession('resources-and-prompts');
    const failure = await failureOf(opened.session.request('resources/read', { uri: 'test://missing' }, { signal }));
    expect(failure).toMatchObject({
      code: 'server-error',
      rpc: {
        code: -32_002,
        message: 'Resource not found',
        data: { uri: 'test://missing', hint: 'look elsewhere' },
      },
    });
  });

  test('of an unknown method is forwarded', async () => {
    await using opened = await openSession('resources-and-prompts');
    const failure = await failureOf(opened.session.request('vendor/anything', { a: 1 }, { signal }));
    expect(failure).toMatchObject({ code: 'server-error', rpc: { code: -32_601 } });
  });

  test.each([
    ['resources/list', 'resources'],
    ['resources/subscribe', 'resources.subscribe'],
    ['prompts/get', 'prompts'],
    ['completion/complete', 'completions'],
    ['logging/setLevel', 'logging'],
    ['tasks/list', 'tasks.list'],
  ])('%s is not sent to a server without the capability', async (method, capability) => {
    await using opened = await openSession('echo');
    const failure = await failureOf(opened.session.request(method, {}, { signal }));
    expect(failure).toMatchObject({ code: 'unsupported' });
    expect((failure as Error).message).toContain(`"${capability}"`);
  });

  test('is cancelled at the server when it aborts', async () => {
    await using opened = await openSession('slow');
    const end = new AbortController();
    const params = { name: 'wait', arguments: { ms: 60_000, steps: 600 } };
    const onProgress = (): void => end.abort(new Error('enough'));
    const request = opened.session.request('tools/call', params, { signal: end.signal, onProgress });
    expect(await failureOf(request)).toMatchObject({ message: 'enough' });
    expect(await opened.call('cancelled')).toHaveLength(1);
  });

  test('is not sent if it aborts first', async () => {
    await using opened = await openSession('slow');
    const request = opened.session.request(
      'tools/call',
      { name: 'echo' },
      { signal: AbortSignal.abort(new Error('no')) },
    );
    expect(await failureOf(request)).toMatchObject({ message: 'no' });
    expect(await opened.call('cancelled')).toEqual([]);
  });

  test('reports its progress', async () => {
    await using opened = await openSession('slow');
    const told: unknown[] = [];
    const params = { name: 'wait', arguments: { ms: 30, steps: 3 } };
    await opened.session.request('tools/call', params, { signal, onProgress: (progress) => void told.push(progress) });
    expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test('with an oversized result fails, and no other request does', async () => {
    await using opened = await openSession('huge-result', { maxMessageBytes: 10_000 });
    const big = opened.session.request('tools/call', { name: 'big', arguments: { bytes: 100_000 } }, { signal });
    expect(await failureOf(big)).toMatchObject({ code: 'result-too-large' });
    expect(await opened.text('echo', { text: 'still here' })).toBe('still here');
  });

  test('fails as sent when its server exits', async () => {
    await using opened = await openSession('dies-mid-call');
    const request = opened.session.request('tools/call', { name: 'die', arguments: {} }, { signal });
    expect(await failureOf(request)).toMatchObject({ name: 'SessionLostError', sent: true });
    const late = opened.session.request('tools/call', { name: 'die' }, { signal });
    expect(await failureOf(late)).toMatchObject({ name: 'SessionLostError', sent: false });
  });

  test('counts as a call in progress', async () => {
    const counts: number[] = [];
    await using opened = await openSession('slow', {
      listeners: { onCallsInFlight: (count) => void counts.push(count) },
    });
    const request = opened.session.request('tools/call', { name: 'echo', arguments: { text: '' } }, { signal });
    await new Promise((resolve) => setImmediate(resolve)); // it is written
    expect(opened.session.callsInFlight).toBe(1);
    await request;
    expect(counts).toEqual([1, 0]);
  });

  test('must not be the handshake', async () => {
    await using opened = await openSession('echo');
    expect(await failureOf(opened.session.request('initialize', {}, { signal }))).toBeInstanceOf(TypeError);
  });
});

describe('a list', () => {
  test('has all valid entries of all pages, unchanged', async () => {
    await using opened = await openSession('resources-and-prompts');
    const { session } = opened;
    expect(await session.listAll('resources/list', { signal })).toEqual({
      items: [
        { uri: 'test://a', name: 'a' },
        { uri: 'test://b', name: 'b', 'x-extra': [1] },
      ],
      completeness: 'complete',
      problems: [
        'an entry without a URI or a name was left out',
        'an entry without a URI or a name was left out',
        'the name "test://a" came twice; the first was kept',
      ],
    });
    expect((await session.listAll('resources/templates/list', { signal })).items).toEqual([
      { uriTemplate: 'test://{name}', name: 'any' },
    ]);
    expect((await session.listAll('prompts/list', { signal })).items).toEqual([
      { name: 'greet', arguments: [{ name: 'who', required: true }] },
    ]);
  });

  test('of templates is empty if the server does not implement it, and other lists are unavailable', async () => {
    await using server = await startScriptedHttp({
      capabilities: { resources: {} },
      onMessage: ({ id, method }, response) => {
        if (!method.endsWith('/list')) return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }));
        return true;
      },
    });
    await using manager = managerOf({ name: 'web', url: server.url, protocol: 'legacy' });
    const web = manager.server('web');
    expect(await web.listResourceTemplates()).toEqual({ items: [], completeness: 'complete', problems: [] });
    expect(await failureOf(web.listResources())).toMatchObject({ code: 'server-error' });
  });

  test('is not requested from a server without the capability', async () => {
    await using opened = await openSession('echo');
    expect(await failureOf(opened.session.listAll('prompts/list', { signal }))).toMatchObject({ code: 'unsupported' });
  });
});

describe('junk and noise', () => {
  test('reports lines that are not messages, and requests go on', async () => {
    await using opened = await openSession('speaks-garbage');
    const before = opened.junk.length;
    const result = await opened.session.request('tools/call', { name: 'echo', arguments: { text: 'a' } }, { signal });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'a' }] });
    expect(opened.junk.length).toBeGreaterThan(before);
  });

  test('messages count as a sign of life, junk does not', async () => {
    await using opened = await openSession('echo');
    const before = opened.session.lastMessageAt;
    await opened.text('echo', { text: 'a' });
    expect(opened.session.lastMessageAt).toBeGreaterThan(before);
  });
});

test('cancels an aborted ping at a server of revision 2026-07-28', async () => {
  const asked = deferred();
  const givenUp = deferred();
  let questions = 0;
  await using server = await startModernHttp({
    onMessage: (method, _request, response) => {
      if (method !== 'server/discover') return false;
      questions += 1;
      if (questions === 1) return false; // of the handshake
      response.on('close', givenUp.resolve);
      asked.resolve();
      return true;
    },
  });
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  await web.start();
  const end = new AbortController();
  const ping = failureOf(web.request('ping', {}, { signal: end.signal }));
  await asked.promise;
  const reason = new Error('enough');
  end.abort(reason);
  expect(await ping).toBe(reason);
  await givenUp.promise;
});
