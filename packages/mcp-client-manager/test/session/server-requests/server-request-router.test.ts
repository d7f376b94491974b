import type { ClientHandlerContext } from '@x/internal/contracts';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientHandlers } from '../../../src/session/server-requests/client-handlers.js';
import { deferred } from '../../helpers/deferred.js';
import { openSession } from '../../helpers/open-session.js';
import { failureOf, fixtureSpec, managerWith, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();
const question = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Well?' } }],
  maxTokens: 10,
  'x-extra': 1,
};
const words = { role: 'assistant', content: { type: 'text', text: 'Indeed' }, model: 'm' };
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const url = { mode: 'url', message: 'Go there', url: 'https://example.com/', elicitationId: 'e1' };
const roots = { roots: [{ uri: 'file:///work', name: 'work' }] };

describe('before revision 2026-07-28, a server', () => {
  test.each<[ClientHandlers, object]>([
    [{}, {}],
    [{ roots: () => roots }, { roots: { listChanged: true } }],
    [{ sampling: () => words }, { sampling: {} }],
    [{ samplingWithTools: () => words }, { sampling: { tools: {} } }],
    [{ elicitation: () => ({ action: 'decline' }) }, { elicitation: { form: {} } }],
    [{ urlElicitation: () => ({ action: 'decline' }) }, { elicitation: { url: {} } }],
  ])('receives the capabilities of the handlers that are set (%o)', async (handlers, expected) => {
    await using opened = await openSession('asks-host', { handlers });
    expect(await opened.call('host_capabilities')).toEqual(expected);
  });

  test('may send a request right after the handshake', async () => {
    await using opened = await openSession('asks-host', { handlers: { roots: () => roots } });
    await opened.call('ask', { method: 'roots/list' });
    expect(await opened.call('early_roots')).toEqual(roots);
  });

  test('receives the result of each handler, which receives the unchanged params', async () => {
    const seen: unknown[] = [];
    const note =
      (answer: unknown) =>
      (params: unknown, { server }: ClientHandlerContext) => {
        seen.push([server, params]);
        return answer;
      };
    const accepted = { action: 'accept', content: { name: 'Ada' } };
    const handlers = {
      sampling: note(words),
      samplingWithTools: note({ ...words, model: 'with tools' }),
      elicitation: note(accepted),
      urlElicitation: note({ action: 'accept' }),
      roots: note(roots),
    };
    await using opened = await openSession('asks-host', { handlers });
    const ask = (method: string, params?: object): Promise<unknown> => opened.call('ask', { method, params });
    await ask('roots/list'); // this server has asked for them by itself before
    seen.length = 0;
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    expect(await ask('sampling/createMessage', question)).toEqual({ result: words });
    expect(await ask('sampling/createMessage', { ...question, tools })).toMatchObject({
      result: { model: 'with tools' },
    });
    expect(await ask('elicitation/create', form)).toEqual({ result: accepted });
    expect(await ask('elicitation/create', url)).toEqual({ result: { action: 'accept' } });
    expect(await ask('roots/list')).toEqual({ result: roots });
    expect(seen).toMatchObject([
      ['asks-host', question],
      ['asks-host', { tools }],
      ['asks-host', form],
      ['asks-host', url],
      ['asks-host', {}],
    ]);
  });

  test('receives the error code of the protocol for a request without a handler', async () => {
    await using opened = await openSession('asks-host', {
      handlers: { sampling: () => words, elicitation: () => ({}) },
    });
    const ask = (method: string, params?: object): Promise<unknown> => opened.call('ask', { method, params });
    expect(await ask('roots/list')).toMatchObject({ error: { code: -32_601 } });
    expect(await ask('elicitation/create', url)).toMatchObject({ error: { code: -32_602 } });
    expect(await ask('sampling/createMessage', { ...question, tools: [] })).toMatchObject({ error: { code: -32_602 } });
  });

  test('receives the error of a handler that throws, with its code and data', async () => {
    const refusal = Object.assign(new Error('The user said no'), { code: -1, data: { why: 'busy' } });
    const handlers: ClientHandlers = {
      sampling: () => {
        throw refusal;
      },
      roots: async () => {
        throw new Error('no disk');
      },
    };
    await using opened = await openSession('asks-host', { handlers });
    expect(await opened.call('ask', { method: 'sampling/createMessage', params: question })).toMatchObject({
      error: { code: -1, message: expect.stringContaining('The user said no'), data: { why: 'busy' } },
    });
    expect(await opened.call('ask', { method: 'roots/list' })).toMatchObject({
      error: { code: -32_603, message: expect.stringContaining('no disk') },
    });
  });

  test('aborts the handler when it cancels its request', async () => {
    const aborted = deferred<unknown>();
    const handlers: ClientHandlers = {
      sampling: (_params, context) => {
        context.signal.addEventListener('abort', () => aborted.resolve(context.signal.reason));
        return new Promise(() => undefined);
      },
    };
    await using opened = await openSession('asks-host', { handlers });
    const asked = opened.call('ask', { method: 'sampling/createMessage', params: question, cancelAfterMs: 20 });
    expect(await asked).toHaveProperty('error');
    await aborted.promise;
  });

  test('aborts a handler that hangs when it exits', async () => {
    const began = deferred<void>();
    const aborted = deferred<void>();
    const handlers: ClientHandlers = {
      roots: (_params, context) => {
        context.signal.addEventListener('abort', () => aborted.resolve());
        began.resolve();
        return new Promise(() => undefined);
      },
    };
    await using opened = await openSession('asks-host', { handlers });
    const call = failureOf(opened.call('ask', { method: 'roots/list' }));
    await began.promise;
    opened.process.kill('SIGKILL');
    await aborted.promise;
    expect(await call).toMatchObject({ name: 'SessionLostError', sent: true });
  });

  test('has excess requests queued, and refused when the queue is full', async () => {
    const release = deferred();
    let now = 0;
    let most = 0;
    let answered = 0;
    const handler = async (): Promise<typeof roots> => {
      now += 1;
      most = Math.max(most, now);
      await release.promise;
      now -= 1;
      answered += 1;
      return roots;
    };
    await using manager = managerWith({ handlers: { roots: handler } }, fixtureSpec('odd-server.mjs', ['plain']));
    const server = manager.server('fixture');
    await server.callTool('act', { ask: 20_000 });
    const refused = async (): Promise<number> => Number(textOf(await server.callTool('act', { refused: true })));
    // Its questions were read before its answer was; ours may be read a moment later.
    while ((await refused()) < 20_000 - 16 - 64) {}
    expect(most).toBe(16);
    release.resolve();
    await server.callTool('act');
    while (answered < 16 + 64) await server.callTool('act');
    expect(most).toBe(16);
    expect(await refused()).toBe(20_000 - 16 - 64);
  });

  test('is notified when the roots change', async () => {
    await using opened = await openSession('asks-host', { handlers: { roots: () => roots } });
    await opened.session.notifyRootsChanged();
    expect(await opened.call('roots_changes')).toBe(1);
  });
});

describe('from revision 2026-07-28 on, a call that needs input', () => {
  const everything: ClientHandlers = {
    elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    urlElicitation: () => ({ action: 'accept' }),
    sampling: () => words,
    roots: () => roots,
  };

  test('is repeated with the results of the handlers and the state of the server', async () => {
    await using opened = await openSession('modern-input-required', { handlers: everything });
    expect(await opened.call('greet')).toEqual({
      who: { action: 'accept', content: { name: 'Ada' } },
      state: 'opaque ✓ state',
    });
  });

  test('may need several inputs at once', async () => {
    await using opened = await openSession('modern-input-required', { handlers: everything });
    expect(await opened.call('all')).toMatchObject({
      who: { action: 'accept', content: { name: 'Ada' } },
      page: { action: 'accept' },
      words: { model: 'm' },
      roots,
    });
  });

  test('may request only a retry', async () => {
    await using opened = await openSession('modern-input-required');
    expect(await opened.call('later', { times: 2 })).toEqual({ round: 2 });
  });

  test('fails after ten rounds', async () => {
    let rounds = 0;
    const handlers = {
      roots: () => {
        rounds += 1;
        return roots;
      },
    };
    await using opened = await openSession('modern-input-required', { handlers });
    expect(await failureOf(opened.call('endless'))).toMatchObject({ code: 'server-error' });
    expect(rounds).toBe(10);
  });

  test('fails when the handler refuses', async () => {
    const handlers = { elicitation: () => Promise.reject(new Error('The user said no')) };
    await using opened = await openSession('modern-input-required', { handlers });
    const failure = await failureOf(opened.call('greet'));
    expect(failure).toMatchObject({ code: 'input-refused', server: 'modern-input-required' });
    expect((failure as Error).message).toMatch(/"elicitation\/create".*the call of "greet".*The user said no/);
  });

  test('gets no request from a server without announced handlers', async () => {
    await using opened = await openSession('modern-input-required', { handlers: { roots: () => roots } });
    const failure = await failureOf(opened.call('greet'));
    expect(failure).toMatchObject({ code: 'server-error', rpc: { data: { requiredCapabilities: expect.anything() } } });
  });

  test('ends with its signal while a handler hangs', async () => {
    const began = deferred<AbortSignal>();
    const handlers: ClientHandlers = {
      elicitation: (_params, context) => {
        began.resolve(context.signal);
        return new Promise(() => undefined);
      },
    };
    await using opened = await openSession('modern-input-required', { handlers });
    const end = new AbortController();
    const call = failureOf(opened.session.callTool('greet', {}, { signal: end.signal }));
    const handlerSignal = await began.promise;
    end.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
    expect(handlerSignal.aborted).toBe(true);
  });

  test('returns the required input if the caller opted in', async () => {
    await using opened = await openSession('modern-input-required', { handlers: everything });
    const { session } = opened;
    const params = { name: 'greet', arguments: {} };
    const first = await session.request('tools/call', params, { signal, inputRequired: 'return' });
    expect(first).toMatchObject({ resultType: 'input_required', requestState: 'opaque ✓ state' });
    const inputResponses = { who: { action: 'decline' } };
    const { requestState } = first;
    const second = await session.request('tools/call', { ...params, inputResponses, requestState }, { signal });
    expect(second).toMatchObject({ resultType: 'complete' });
    expect(JSON.parse(String((second.content as { text: string }[])[0]?.text))).toMatchObject({
      who: { action: 'decline' },
    });
  });
});
