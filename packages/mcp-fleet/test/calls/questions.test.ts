import type { CallHandler, SourceCallOptions } from '@x/internal/contracts';
import { expect, test, vi } from 'vitest';
import { ScriptedOwner } from './scripted-owner.js';
import { type TwoNodesOptions, textResult, twoNodes } from './two-nodes.js';

const never = new AbortController().signal;
const question = { method: 'elicitation/create', params: { message: 'Really?' } };

function handlerOf(answer: CallHandler['answer'], client: unknown = {}): CallHandler {
  return { client, capabilities: { elicitation: { form: {} } }, answer };
}

/** Has the tool do something with who can be asked. */
function asking(ask: (handler: CallHandler) => Promise<unknown>): Pick<TwoNodesOptions, 'callTool'> {
  return {
    callTool: async (_tool, _args, { handler }: SourceCallOptions) => {
      if (handler === undefined) return textResult('nobody');
      return textResult(
        JSON.stringify(await ask(handler).catch(({ message, code, data }) => ({ message, code, data }))),
      );
    },
  };
}

const answerOf = async (result: Promise<{ content: readonly { [key: string]: unknown }[] }>) =>
  JSON.parse(String((await result).content[0]?.text)) as unknown;

test('a server request reaches the client at the calling node', async () => {
  const asked: unknown[] = [];
  const { call } = await twoNodes(
    asking((handler) => {
      expect(handler.capabilities).toEqual({ elicitation: { form: {} } });
      return handler.answer(question, { server: 'files', signal: never });
    }),
  );
  const handler = handlerOf(async (request, { server }) => {
    asked.push({ ...request, server });
    return { action: 'accept', content: { sure: true } };
  });
  expect(await answerOf(call('delete', {}, { handler }))).toEqual({ action: 'accept', content: { sure: true } });
  expect(asked).toEqual([{ ...question, server: 'files' }]);
});

test('concurrent server requests of one call get their own responses, in any order', async () => {
  const { call } = await twoNodes(
    asking((handler) =>
      Promise.all(
        [1, 2, 3].map((n) =>
          handler.answer({ method: 'roots/list', params: { n } }, { server: 'files', signal: never }),
        ),
      ),
    ),
  );
  const waiting: (() => void)[] = [];
  const handler = handlerOf(({ params }) => {
    return new Promise((resolve) => {
      waiting.unshift(() => resolve({ n: params.n }));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
  });
  expect(await answerOf(call('read', {}, { handler }))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('a refusal comes with its words, code and data', async () => {
  const { call } = await twoNodes(asking((handler) => handler.answer(question, { server: 'files', signal: never })));
  const handler = handlerOf(async () => {
    throw Object.assign(new Error('The user said no'), { code: -1, data: { by: 'user' }, secret: 'x' });
  });
  expect(await answerOf(call('read', {}, { handler }))).toEqual({
    message: 'The user said no',
    code: -1,
    data: { by: 'user' },
  });
});

test('without a client, the source gets none', async () => {
  const { call } = await twoNodes(asking(async () => 'asked'));
  expect(await call()).toEqual(textResult('nobody'));
});

test('an invalid response, or one that cannot be sent, is an error response', async () => {
  const nodes = await twoNodes({
    maxPayloadBytes: 2_000,
    ...asking((handler) => handler.answer(question, { server: 'files', signal: never })),
  });
  const refused = async (answer: () => Promise<never>) =>
    answerOf(nodes.call('read', {}, { handler: handlerOf(answer) }));
  expect(await refused(async () => 7 as never)).toMatchObject({
    message: 'The client sent no result',
  });
  expect(await refused(async () => ({ big: 1n }) as never)).toMatchObject({ message: expect.stringContaining('JSON') });
  expect(await refused(async () => ({ text: 'x'.repeat(5_000) }) as never)).toMatchObject({
    message: expect.stringContaining('exceeds the limit of the bus'),
  });
});

test('a server request that exceeds the limit of the bus fails at once', async () => {
  const nodes = await twoNodes({
    maxPayloadBytes: 2_000,
    ...asking((handler) =>
      handler.answer({ method: 'x', params: { text: 'x'.repeat(5_000) } }, { server: 'files', signal: never }),
    ),
  });
  expect(await answerOf(nodes.call('read', {}, { handler: handlerOf(async () => ({})) }))).toMatchObject({
    code: 'message-too-large',
  });
});

test('a server request that the server cancels is cancelled at the client', async () => {
  const withdrawn = new AbortController();
  let taken: Promise<never> | undefined;
  const { call } = await twoNodes(
    asking((handler) => handler.answer(question, { server: 'files', signal: withdrawn.signal })),
  );
  const handler = handlerOf((_request, { signal }) => {
    taken = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    withdrawn.abort(new Error('never mind'));
    return taken;
  });
  expect(await answerOf(call('read', {}, { handler }))).toMatchObject({ message: 'never mind' });
  await expect(taken).rejects.toMatchObject({ code: 'cancelled' });
});

test('the end of a call ends its server requests on both sides', async () => {
  let asked: Promise<unknown> | undefined;
  let arrived: (() => void) | undefined;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const { call } = await twoNodes({
    callTool: (_tool, _args, { handler }) => {
      asked = handler?.answer(question, { server: 'files', signal: never }).catch((error: unknown) => error);
      return new Promise(() => {});
    },
  });
  let seen: AbortSignal | undefined;
  const handler = handlerOf((_request, { signal }) => {
    seen = signal;
    arrived?.();
    return new Promise(() => {});
  });
  const cancel = new AbortController();
  const result = call('read', {}, { handler, signal: cancel.signal });
  await arrival;
  cancel.abort(new Error('stop'));
  await expect(result).rejects.toThrow('stop');
  expect(seen?.aborted).toBe(true);
  expect(await asked).toMatchObject({ code: 'cancelled' });
});

test('a server request after the end of the call is rejected', async () => {
  let later: CallHandler | undefined;
  const { call } = await twoNodes({
    callTool: async (_tool, _args, { handler }) => {
      later = handler;
      return textResult('done');
    },
  });
  await call('read', {}, { handler: handlerOf(async () => ({})) });
  await expect(later?.answer(question, { server: 'files', signal: never })).rejects.toMatchObject({
    code: 'cancelled',
  });
});

test('the owner distinguishes clients: two calls of one client share it, calls of two do not', async () => {
  const clients: unknown[] = [];
  const { call } = await twoNodes({
    callTool: async (_tool, _args, { handler }) => {
      clients.push(handler?.client);
      return textResult('done');
    },
  });
  const [alice, bob] = [{ name: 'alice' }, { name: 'bob' }];
  for (const client of [alice, bob, alice]) await call('read', {}, { handler: handlerOf(async () => ({}), client) });
  expect(clients[0]).toBe(clients[2]);
  expect(clients[0]).not.toBe(clients[1]);
  expect(JSON.stringify(clients)).not.toContain('alice');
});

test('server requests above the limit, or for a call without a client, are rejected', async () => {
  const nodes = await twoNodes();
  nodes.serving.close();
  const owner = new ScriptedOwner(nodes.ownerBus);
  const answers = vi.fn(() => new Promise<never>(() => {}));
  const result = nodes.call('read', {}, { handler: handlerOf(answers) });
  const request = await owner.nextCall();
  owner.reply(request, 'A', ...Array.from({ length: 65 }, (_, n) => `Q{"n":${n},"method":"roots/list"}`));
  expect(await owner.nextControl()).toMatchObject({
    n: 64,
    answer: { error: { message: expect.stringContaining('too many') } },
  });
  expect(answers).toHaveBeenCalledTimes(64);
  owner.reply(request, 'F{"content":[]}');
  await result;

  const unasked = nodes.call();
  const second = await owner.nextCall();
  owner.reply(second, 'A', 'Q{"n":1,"method":"roots/list"}');
  expect(await owner.nextControl()).toMatchObject({
    n: 1,
    answer: { error: { message: 'The call has no client that handles server requests' } },
  });
  owner.reply(second, 'F{"content":[]}');
  await unasked;
});

test('many server requests under one number count once', async () => {
  const nodes = await twoNodes();
  nodes.serving.close();
  const owner = new ScriptedOwner(nodes.ownerBus);
  const signals: AbortSignal[] = [];
  const answers = vi.fn((_question: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  });
  const result = nodes.call('read', {}, { handler: handlerOf(answers) });
  const request = await owner.nextCall();
  const questions = Array.from({ length: 200 }, () => 'Q{"n":1,"method":"roots/list"}');
  owner.reply(request, 'A', ...questions, 'F{"content":[]}');
  await result;
  expect(answers).toHaveBeenCalledTimes(1);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});
