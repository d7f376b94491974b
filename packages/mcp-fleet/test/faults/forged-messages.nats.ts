import { type NatsServer, startNatsServer } from '@x/test-servers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { natsAccountsConfig } from '../../src/nats.js';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, SUBJECTS, tapWire } from './wire-tap.js';

const NODES = ['a', 'b', 'c'];
const administrator = { user: 'administrator', password: 'secret of all' };
const loginOf = (node: string) => ({ user: `user of ${node}`, password: `secret of ${node}` });
const tapLogin = ({ user, password }: typeof administrator) => ({ user, pass: password });

// Each test has its own: what the killed nodes of another one have left behind would be taken for alive.
let server: NatsServer;
beforeEach(async () => {
  const nodes = NODES.map((node) => ({ node, ...loginOf(node) }));
  server = await startNatsServer({ config: natsAccountsConfig({ nodes, administrator }) });
  onTestFinished(() => server.stop());
});

const busOf = (node: string) => ({ servers: server.url, ...loginOf(node) });
const planOf = (node: string) => ({ bus: busOf(node), sources: [{ name: 'files' }] });

describe('a node that does what only another one may', () => {
  test("cannot write the other node's records, and an alarm is raised", async () => {
    startNode('a', planOf('a'));
    const b = startNode('b', planOf('b'));
    const c = startNode('c', planOf('c'));
    await c.ask({ do: 'until-tools', source: 'files@a', count: SCRIPTED_TOOLS });
    await b.event('joined');
    const wire = await tapWire(server, [`${KEYS}server.a.>`], tapLogin(administrator));
    const forged = { v: 1, incarnation: 2 ** 50, seq: 1, placement: 'pinned', state: 'running', tools: [] };
    for (const key of ['server.a.files', 'server.a.more', 'lease.a']) {
      const writing = b.ask({ do: 'write', key, text: JSON.stringify(forged) });
      await expect(writing).rejects.toMatchObject({ code: 'forbidden', retryable: false });
      await b.event('forbidden', { operation: 'write', subject: key });
    }
    // b is let go on with what is its own, and everybody sees a as it was.
    await c.ask({ do: 'until-beats', count: (await c.ask<number>({ do: 'beats' })) + 2 });
    expect(await c.ask({ do: 'status' })).toMatchObject({
      nodes: [{ node: 'c' }, { node: 'a', state: 'alive' }, { node: 'b', state: 'alive' }],
    });
    expect(await c.call('files@a', 'who')).toBe('a');
    expect(await c.call('files@b', 'who')).toBe('b');
    expect(wire.messages).toEqual([]);
    expect(c.all('problem')).toEqual([]);
  });

  test('cannot answer or overhear its calls, or make calls in its name', async () => {
    const a = startNode('a', planOf('a'));
    const b = startNode('b', planOf('b'));
    const c = startNode('c', planOf('c'));
    await c.ask({ do: 'until-tools', source: 'files@a', count: SCRIPTED_TOOLS });
    await b.ask({ do: 'until-tools', source: 'files@c', count: SCRIPTED_TOOLS });
    const wire = await tapWire(server, [`${SUBJECTS}>`], tapLogin(administrator));
    const thief = await tapWire(server, [`${SUBJECTS}call.a.>`, `${SUBJECTS}reply.c.>`], {
      ...tapLogin(loginOf('b')),
      inboxPrefix: '_INBOX_b',
      reconnect: false,
    });
    const call = c.call('files@a', 'hang').catch((error) => error);
    const accepted = await wire.message(({ subject }) => subject.startsWith(`${SUBJECTS}reply.c.call.`));
    const asked = await wire.message(({ subject }) => subject === `${SUBJECTS}call.a.files.c`);

    const replySubject = accepted.subject.slice(SUBJECTS.length);
    const forgedCall = 'call.c.files.a';
    const result = 'F{"content":[{"type":"text","text":"forged"}]}';
    for (const [subject, text] of [
      [replySubject, result],
      [forgedCall, asked.string()],
    ] as const) {
      await b.ask({ do: 'publish', subject, text });
      await b.event('forbidden', { operation: 'publish', subject });
    }
    await a.kill();
    expect(await call).toMatchObject({ code: 'outcome-unknown' });
    expect(c.all('called')).toEqual([]);
    expect(thief.messages).toEqual([]);
    expect(wire.messages.filter(({ subject }) => subject === SUBJECTS + forgedCall)).toEqual([]);
  });

  test('cannot join under its name', async () => {
    const wire = await tapWire(server, [`${KEYS}lease.a`], tapLogin(administrator));
    const c = startNode('c', planOf('c'));
    const liar = startNode('a', { bus: { ...busOf('b'), mustConnect: true }, sources: [{ name: 'files' }] });
    await expect(liar.ask({ do: 'status' })).rejects.toMatchObject({ code: 'forbidden' });
    await c.ask({ do: 'until-beats', count: 3 });
    expect(wire.messages).toEqual([]);
  });
});
