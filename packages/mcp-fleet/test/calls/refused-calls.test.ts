import { describe, expect, test, vi } from 'vitest';
import { type CallHead, encodeRequest, writeBody } from '../../src/calls/wire/call-request.js';
import type { FleetError } from '../../src/errors.js';
import { createNodeKey, createPrincipals } from '../../src/principal/principals.js';
import { textResult, twoNodes } from './two-nodes.js';

const failure = (result: Promise<unknown>) =>
  result.then(
    () => undefined,
    (error: unknown) => error as FleetError,
  );

/** A request without arguments, to be sent before the next one is made. */
function requestOf(head: CallHead): Uint8Array {
  const bounds = { maxMessageBytes: 100_000, maxArgsBytes: 100_000 };
  return encodeRequest(head, writeBody({ args: {} }), bounds)?.message ?? new Uint8Array();
}

test('the owner authorizes each call', async () => {
  const asked: unknown[] = [];
  const { call } = await twoNodes({
    authorize: (principal, wanted) => {
      asked.push([principal, wanted]);
      return principal.role === 'admin';
    },
  });
  expect(await call('read', {}, { caller: { role: 'admin', principal: 'alice' } })).toEqual(textResult('done'));
  await expect(call('read', {}, { caller: { role: 'guest' } })).rejects.toMatchObject({
    code: 'refused',
    retryable: false,
  });
  await expect(call()).rejects.toMatchObject({ code: 'refused' });
  expect(asked).toEqual([
    [
      { node: 'edge', role: 'admin', principal: 'alice' },
      { server: 'files', tool: 'read' },
    ],
    [
      { node: 'edge', role: 'guest' },
      { server: 'files', tool: 'read' },
    ],
    [{ node: 'edge' }, { server: 'files', tool: 'read' }],
  ]);
});

test('a forbidden tool looks like a missing one', async () => {
  const { call } = await twoNodes({
    authorize: async (_principal, { tool }) => tool !== 'forbidden',
    callTool: async (tool) => {
      throw Object.assign(new Error(`I have no ${tool}`), { code: 'unknown-tool' });
    },
  });
  const forbidden = await failure(call('forbidden'));
  const unknown = await failure(call('unknown'));
  const elsewhere = await failure(call('forbidden', {}, { server: 'secrets' }));
  expect(forbidden?.message.replaceAll('forbidden', 'unknown')).toBe(unknown?.message);
  expect(forbidden?.message.replaceAll('files', 'secrets')).toBe(elsewhere?.message);
  expect({ ...forbidden }).toEqual({ ...unknown });
  expect({ ...forbidden, server: 'secrets' }).toEqual({ ...elsewhere });
});

test('without a policy, missing tools and servers are reported as missing', async () => {
  const { call } = await twoNodes({
    callTool: async () => {
      throw Object.assign(new Error('I have no such tool'), { code: 'unknown-tool' });
    },
  });
  await expect(call()).rejects.toMatchObject({
    code: 'unknown-tool',
    message: expect.stringMatching(/^There is no tool "\w+" of the server "files" on the node owner$/),
    server: 'files',
    retryable: false,
  });
  await expect(call('read', {}, { server: 'secrets' })).rejects.toMatchObject({
    code: 'unknown-server',
    server: 'secrets',
  });
});

test('an authorize that throws allows nothing, and is reported at its own node only', async () => {
  const callTool = vi.fn();
  const error = new Error('no database');
  const { call, problems } = await twoNodes({ callTool, authorize: () => Promise.reject(error) });
  const refused = await failure(call());
  expect(refused).toMatchObject({ code: 'refused' });
  expect(refused?.message).not.toContain('database');
  expect(problems).toEqual([{ message: expect.stringContaining('authorize failed'), error }]);
  expect(callTool).not.toHaveBeenCalled();
});

test('an authorize must return true', async () => {
  const { call } = await twoNodes({ authorize: () => 'maybe' as never });
  await expect(call()).rejects.toMatchObject({ code: 'refused' });
});

describe('nothing is run for a call with an invalid principal', () => {
  /** Sends a call as a node could that does not keep to the rules. */
  async function callWith(principal: (nodes: Awaited<ReturnType<typeof twoNodes>>) => unknown) {
    const callTool = vi.fn(async () => textResult('done'));
    const nodes = await twoNodes({ callTool });
    const token = (await principal(nodes)) as string;
    nodes.caller.close();
    const head = { incarnation: 7, tool: 'read', timeoutMs: 1_000, wantsProgress: false, principal: token };
    const answer = new Promise<string>((resolve) => {
      nodes.edgeBus.subscribe('reply.edge.>', ({ data }) => resolve(new TextDecoder().decode(data)));
    });
    const replyTo = `reply.edge.call.${'0'.repeat(32)}.owner`;
    nodes.edgeBus.publish('call.owner.files.edge', requestOf(head), { replyTo });
    const text = await answer;
    expect(callTool).not.toHaveBeenCalled();
    expect(nodes.serving.inFlight).toBe(0);
    return JSON.parse(text.slice(1)) as unknown;
  }

  test.each<[string, (nodes: Awaited<ReturnType<typeof twoNodes>>) => unknown]>([
    ['no token', () => undefined],
    ['a token for another node', ({ principals }) => principals.tokenFor('other')],
    ['an altered token', async ({ principals }) => `${await principals.tokenFor('owner')}x`],
    [
      'a token that another key has signed',
      async () => {
        const { privateKey } = await createNodeKey();
        return createPrincipals({ node: 'edge', incarnation: 3, privateKey }).tokenFor('owner');
      },
    ],
    [
      'a token of an incarnation that is over',
      ({ edgeKey: { privateKey } }) => createPrincipals({ node: 'edge', incarnation: 2, privateKey }).tokenFor('owner'),
    ],
    [
      'an expired token',
      ({ edgeKey: { privateKey } }) =>
        createPrincipals({ node: 'edge', incarnation: 3, privateKey, clock: () => Date.now() - 120_000 }).tokenFor(
          'owner',
        ),
    ],
    [
      'a token that another node was sent',
      async ({ broker, atOwner, edgeKey }) => {
        // The token is valid, but its sender is another node.
        atOwner.add('thief', { incarnation: 1, publicKey: (await createNodeKey()).publicKey });
        expect(broker.isRunning).toBe(true);
        return createPrincipals({ node: 'thief', incarnation: 1, privateKey: edgeKey.privateKey }).tokenFor('owner');
      },
    ],
  ])('%s', async (_, principal) => {
    expect(await callWith(principal)).toMatchObject({ fleet: 'refused' });
  });
});

test('an owner replies only to subjects of its caller', async () => {
  const callTool = vi.fn(async () => textResult('done'));
  const nodes = await twoNodes({ callTool });
  const head = { incarnation: 7, tool: 'read', timeoutMs: 1_000, wantsProgress: false };
  const principal = await nodes.principals.tokenFor('owner');
  const message = requestOf({ ...head, principal });
  const id = '0'.repeat(32);
  for (const replyTo of [
    `reply.other.call.${id}.owner`,
    'control.other.owner',
    `reply.edge.call.${id}.other`,
    'lease.owner',
  ]) {
    nodes.edgeBus.publish('call.owner.files.edge', message, { replyTo });
  }
  nodes.edgeBus.publish('call.owner.files.edge', message);
  await nodes.edgeBus.flush();
  expect(nodes.serving.inFlight).toBe(0);
  expect(callTool).not.toHaveBeenCalled();
});

test('a call that arrives twice under one id runs once', async () => {
  const callTool = vi.fn(() => new Promise<never>(() => {}));
  const nodes = await twoNodes({ callTool });
  const head = { incarnation: 7, tool: 'read', timeoutMs: 60_000, wantsProgress: false };
  const principal = await nodes.principals.tokenFor('owner');
  const message = requestOf({ ...head, principal });
  const accepted = new Promise((resolve) => nodes.edgeBus.subscribe('reply.edge.call.>', resolve));
  const replyTo = `reply.edge.call.${'0'.repeat(32)}.owner`;
  nodes.edgeBus.publish('call.owner.files.edge', message, { replyTo });
  nodes.edgeBus.publish('call.owner.files.edge', message, { replyTo });
  await accepted;
  expect(nodes.serving.inFlight).toBe(1);
  expect(callTool).toHaveBeenCalledOnce();
  nodes.serving.close();
});

test('a malformed call gets an error, and one without a reply subject is ignored', async () => {
  const nodes = await twoNodes();
  const replies: unknown[] = [];
  const replyTo = `reply.edge.call.${'1'.repeat(32)}.owner`;
  nodes.edgeBus.subscribe(replyTo, ({ data }) => replies.push(JSON.parse(new TextDecoder().decode(data).slice(1))));
  for (const text of ['', 'nonsense', '{"v":2}', '[]', 'C\u0000\u0000\u0000\u0000x']) {
    nodes.edgeBus.publish('call.owner.files.edge', new TextEncoder().encode(text), { replyTo });
  }
  for (const text of ['', '{', '{"id":1}', '{"id":"x","type":"cancel"}', '{"id":"x","type":"nap"}']) {
    nodes.edgeBus.publish('control.owner.edge', new TextEncoder().encode(text));
  }
  await nodes.edgeBus.flush();
  await nodes.ownerBus.flush();
  expect(replies).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ fleet: 'invalid-message' })));
  expect(await nodes.call()).toEqual(textResult('done'));
});
