import { createRegistry } from '@x/mcp-registry';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { openSession, postRequest, streamRequest } from '../../helpers/http-requests.js';
import { attachAll, createAskingUpstream, toText } from '../helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** A session with a server that ends the stream of its call, and answers `result` after `answer()`. */
async function open(result: unknown, { revision = '2025-11-25', accept = 'application/json, text/event-stream' } = {}) {
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  const registry = createRegistry();
  const pausing = createAskingUpstream('old', 'legacy', {
    pause: async ({ handler, onProgress }) => {
      handler?.onStreamPause?.();
      onProgress?.({ progress: 1 });
      await isAnswered;
      return toText(result);
    },
  });
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, [pausing]) });
  const handler = gateway.handler({ allowAnonymous: true });
  opened.push(registry, gateway);
  const session = await openSession(handler.fetch, {}, revision);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': revision };
  const params = { name: 'mcp__old__pause', arguments: {}, _meta: { progressToken: 1 } };
  const call = () =>
    handler.fetch(postRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { ...headers, accept }));
  const comeBack = (id: string) => handler.fetch(streamRequest({ ...headers, 'last-event-id': id }));
  const send = (body: object) => handler.fetch(postRequest({ jsonrpc: '2.0', ...body }, headers));
  return { answer, call, comeBack, send };
}

const idIn = (text: string) => /^id: (.+)$/m.exec(text)?.[1] ?? '';

test('a call whose server ends its stream sends the client away, to return for the result', async () => {
  const { answer, call, comeBack } = await open('the result');
  const sent = await (await call()).text();
  expect(sent).toMatch(/^id: \S+\nretry: 1000\ndata: \n\n$/);
  const rest = await comeBack(idIn(sent));
  answer();
  const text = await rest.text();
  expect(text).toContain('notifications/progress');
  expect(text).toContain('the result');
});

test('a result of any size waits for a client that returns later', async () => {
  const large = 'x'.repeat(400_000);
  const { answer, call, comeBack, send } = await open(large);
  const sent = await (await call()).text();
  answer();
  // A response to a later request: the result is there.
  await (await send({ id: 2, method: 'ping' })).text();
  let text = '';
  while (!text.includes('"result"')) text = await (await comeBack(idIn(sent))).text();
  expect(text).toContain(large);
});

test('a client that cancels a call while it is away finds no result', async () => {
  const { answer, call, comeBack, send } = await open('the result');
  const sent = await (await call()).text();
  await send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  answer();
  expect(await (await comeBack(idIn(sent))).text()).not.toContain('the result');
});

test.each([
  { revision: '2025-06-18', why: 'of an earlier revision' },
  { accept: 'application/json', why: 'without streams' },
])('a client $why stays for the result', async ({ why: _, ...client }) => {
  const { answer, call } = await open('the result', client);
  const sent = call();
  answer();
  expect(await (await sent).text()).toContain('the result');
});
