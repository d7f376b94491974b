import type { SourceCallOptions } from '@x/internal/contracts';
import { describe, expect, test, vi } from 'vitest';
import { nodePermissions } from '../../src/bus/fleet-subjects.js';
import type { BusEvent } from '../../src/bus.js';
import { serveCalls } from '../../src/calls/incoming/serve-calls.js';
import { createCaller } from '../../src/calls/outgoing/caller.js';
import type { MemoryBus } from '../../src/memory.js';
import { ScriptedOwner } from './scripted-owner.js';
import { sourceOf, textResult, twoNodes } from './two-nodes.js';

/** An edge, and an owner that the test plays. */
async function scripted() {
  const nodes = await twoNodes();
  nodes.serving.close();
  return { ...nodes, owner: new ScriptedOwner(nodes.ownerBus) };
}

describe('an owner that is gone', () => {
  test('fails a new call at once, and nothing is sent', async () => {
    const { call, atEdge, owner } = await scripted();
    atEdge.lose('owner');
    await expect(call('first')).rejects.toMatchObject({
      code: 'node-unreachable',
      retryable: true,
      node: 'owner',
      server: 'files',
    });
    atEdge.add('owner', { incarnation: 7 });
    const result = call('second');
    const request = await owner.nextCall();
    expect(new TextDecoder().decode(request.data)).toContain('second');
    owner.reply(request, 'F{"content":[]}');
    await result;
  });

  test('fails the call at once if the bus reports no subscriber', async () => {
    const { call, serving } = await twoNodes();
    serving.close();
    await expect(call()).rejects.toMatchObject({ code: 'node-unreachable', retryable: true });
  });

  test('may have received a call that it did not confirm', async () => {
    const { call, atEdge, owner } = await scripted();
    const result = call();
    await owner.nextCall();
    atEdge.lose('owner');
    await expect(result).rejects.toMatchObject({ code: 'outcome-unknown', retryable: false });
    expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
  });

  test('leaves an unknown outcome at once after it accepted the call', async () => {
    const { call, atEdge, owner, edgeBus } = await scripted();
    const result = call();
    owner.reply(await owner.nextCall(), 'A');
    await edgeBus.flush();
    atEdge.lose('owner');
    await expect(result).rejects.toMatchObject({ code: 'outcome-unknown', retryable: false, node: 'owner' });
  });

  test('that is back in another incarnation is lost for calls of the old one', async () => {
    const { call, atEdge, owner, edgeBus } = await scripted();
    const result = call();
    owner.reply(await owner.nextCall(), 'A');
    await edgeBus.flush();
    atEdge.add('owner', { incarnation: 8 });
    await expect(result).rejects.toMatchObject({ code: 'outcome-unknown' });
  });

  test('does nothing to the calls of other owners', async () => {
    const { call, atEdge } = await twoNodes();
    atEdge.add('other', { incarnation: 7 });
    const result = call();
    atEdge.lose('other');
    expect(await result).toEqual(textResult('done'));
  });

  test('has run nothing while arguments are in transfer', async () => {
    const { call, atEdge, owner } = await scripted();
    const result = call('write', { text: 'x'.repeat(1024 * 1024) });
    await owner.nextCall();
    atEdge.lose('owner');
    await expect(result).rejects.toMatchObject({ code: 'node-unreachable', retryable: true });
  });
});

describe('a message of an earlier incarnation', () => {
  test('is not run: a call for it is refused by the new one', async () => {
    const callTool = vi.fn();
    const { call, atEdge } = await twoNodes({ callTool });
    atEdge.add('owner', { incarnation: 6 });
    await expect(call('read', {}, { incarnation: 6 })).rejects.toMatchObject({
      code: 'node-unreachable',
      retryable: true,
    });
    expect(callTool).not.toHaveBeenCalled();
  });

  test('is not sent once this node knows the new incarnation', async () => {
    const { call } = await twoNodes();
    await expect(call('read', {}, { incarnation: 6 })).rejects.toMatchObject({ code: 'node-unreachable' });
  });
});

describe('arriving late, or from another node', () => {
  test('is about nothing', async () => {
    const { call, owner, edgeBus, broker } = await scripted();
    const stranger = broker.connect();
    const result = call();
    const request = await owner.nextCall();
    const foreign = request.replyTo?.replace(/\.owner$/, '.stranger') ?? '';
    stranger.publish(foreign, new TextEncoder().encode('F{"content":[]}'));
    stranger.publish(`reply.edge.call.${'0'.repeat(32)}.owner`, new TextEncoder().encode('F{"content":[]}'));
    owner.reply(request, 'A', 'Z{}', '', 'F{"content":[{"type":"text","text":"mine"}]}', 'F{"content":[]}', 'E{}', 'A');
    expect(await result).toEqual(textResult('mine'));
    await edgeBus.flush();
  });

  test('a malformed message of a known kind ends the call', async () => {
    const { call, owner } = await scripted();
    const result = call();
    owner.reply(await owner.nextCall(), 'A', 'F{');
    await expect(result).rejects.toMatchObject({ code: 'invalid-message' });
    expect(await owner.nextControl()).toMatchObject({ type: 'cancel' });
  });

  test('a no-responder notice does not end an accepted call', async () => {
    const { call, owner, serving, edgeBus } = await scripted();
    expect(serving.inFlight).toBe(0);
    const result = call();
    const request = await owner.nextCall();
    owner.reply(request, 'A');
    edgeBus.publish('nobody.is.here', new Uint8Array(), { replyTo: `${request.replyTo}` });
    await edgeBus.flush();
    owner.reply(request, 'F{"content":[]}');
    expect(await result).toEqual({ content: [] });
  });
});

describe('the bus', () => {
  test('that is down before a call sends nothing', async () => {
    const { call, broker } = await twoNodes();
    broker.stop();
    await expect(call()).rejects.toMatchObject({ code: 'bus-down', retryable: true });
    broker.start();
    expect(await call()).toEqual(textResult('done'));
  });

  test('that goes down during a call does not end it', async () => {
    let finish: (() => void) | undefined;
    let began: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const { call, broker } = await twoNodes({
      callTool: () =>
        new Promise((resolve) => {
          finish = () => resolve(textResult('done'));
          began?.();
        }),
    });
    const result = call();
    await begun;
    broker.stop();
    broker.start();
    finish?.();
    expect(await result).toEqual(textResult('done'));
  });

  test('that is closed ends the calls in progress', async () => {
    const { call, owner, edgeBus } = await scripted();
    const result = call();
    await owner.nextCall();
    await edgeBus.close();
    await expect(result).rejects.toMatchObject({ code: 'closed' });
    await expect(call()).rejects.toMatchObject({ code: 'closed' });
  });

  test('that forbids a call fails it at once', async () => {
    const { atEdge, broker, principals } = await twoNodes();
    const bus = broker.connect({ node: 'edge', permissions: { ...nodePermissions('edge'), publish: [] } });
    const caller = createCaller({ bus, node: 'edge', nodes: atEdge, principals });
    const call = { owner: 'owner', incarnation: 7, server: 'files', tool: 'read', args: {}, options: {} };
    await expect(caller.call(call)).rejects.toMatchObject({ code: 'forbidden', node: 'owner' });
  });
});

describe('a caller’s node that is gone', () => {
  /** A call that has come to its source, and what becomes of that. */
  async function underWay() {
    let options: SourceCallOptions | undefined;
    let began: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const nodes = await twoNodes({
      callTool: (_tool, _args, given) => {
        options = given;
        began?.();
        return new Promise(() => {});
      },
    });
    const result = nodes.call().catch((error: unknown) => error);
    await begun;
    return { ...nodes, result, signal: options?.signal };
  }

  test('has its calls cancelled by the owner', async () => {
    const { atOwner, signal, serving, caller } = await underWay();
    atOwner.lose('edge');
    expect(signal?.reason).toMatchObject({ code: 'cancelled', message: expect.stringContaining('edge') });
    expect(serving.inFlight).toBe(0);
    caller.close();
  });

  test('has the calls of its old incarnation cancelled when it is back', async () => {
    const { atOwner, signal, edgeKey, caller } = await underWay();
    atOwner.add('edge', { incarnation: 4, publicKey: edgeKey.publicKey });
    expect(signal?.aborted).toBe(true);
    caller.close();
  });

  test('does nothing to the calls of other nodes', async () => {
    const { atOwner, signal, serving } = await underWay();
    atOwner.add('other');
    atOwner.lose('other');
    expect(signal?.aborted).toBe(false);
    serving.close();
  });

  test('during authorization has nothing run', async () => {
    const callTool = vi.fn();
    let decide: ((isAllowed: boolean) => void) | undefined;
    let asked: (() => void) | undefined;
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const { call, caller, atOwner, ownerBus, serving } = await twoNodes({
      callTool,
      authorize: () => {
        asked?.();
        return new Promise((resolve) => (decide = resolve));
      },
    });
    const result = call().catch((error: unknown) => error);
    await asking;
    atOwner.lose('edge');
    decide?.(true);
    await ownerBus.flush();
    expect(serving.inFlight).toBe(0);
    expect(callTool).not.toHaveBeenCalled();
    caller.close();
    await result;
  });
});

test('nodes with least permissions call one another, and no other node can reply', async () => {
  const { broker, atEdge, atOwner, principals, serving, caller } = await twoNodes();
  caller.close();
  serving.close();
  const [edgeBus, ownerBus, thief] = ['edge', 'owner', 'thief'].map((node) =>
    broker.connect({ node, permissions: nodePermissions(node) }),
  ) as [MemoryBus, MemoryBus, MemoryBus];
  const forbidden: BusEvent[] = [];
  thief.onEvent((event) => forbidden.push(event));
  const restricted = createCaller({ bus: edgeBus, node: 'edge', nodes: atEdge, principals });
  const callTool = async (_tool: string, _args: unknown, { onProgress }: SourceCallOptions) => {
    onProgress?.({ progress: 1 });
    return textResult('x'.repeat(5_000_000));
  };
  serveCalls({ bus: ownerBus, node: 'owner', incarnation: 7, nodes: atOwner, sources: () => sourceOf(callTool) });
  const call = { owner: 'owner', incarnation: 7, server: 'files', tool: 'read', args: { x: 'x'.repeat(1_000_000) } };
  const result = restricted.call({ ...call, options: { onProgress: () => {} } });
  const subjects = ['call.owner.files.edge', 'control.owner.edge', `reply.edge.call.${'0'.repeat(32)}.owner`];
  for (const subject of subjects) thief.publish(subject, new TextEncoder().encode('A'));
  expect((await result).content[0]?.text).toHaveLength(5_000_000);
  expect(forbidden).toEqual(subjects.map((subject) => ({ type: 'forbidden', operation: 'publish', subject })));
});
