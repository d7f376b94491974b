import type { Msg } from '@nats-io/transport-node';
import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeRecord } from '../../src/catalog/records.js';
import { createNodeKey, createPrincipals } from '../../src/principal/principals.js';
import { type NodeProcess, startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { KEYS, SUBJECTS, tapWire, type WireTap } from './wire-tap.js';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

interface Fleet {
  readonly edge: NodeProcess;
  readonly owner: NodeProcess;
  readonly other: NodeProcess;
  readonly wire: WireTap;
  /** A call of the edge to the owner, as it crossed the bus. */
  readonly request: Readonly<Record<string, unknown>> & { readonly principal: string };
}

async function fleetWithCall(): Promise<Fleet> {
  await server.restart({ stored: 'lost' }); // no node of another test is known any more
  const bus = { servers: server.url };
  const [owner, other] = ['owner', 'other'].map((name) => startNode(name, { bus, sources: [{ name: 'files' }] }));
  const edge = startNode('edge', { bus, sources: [{ name: 'files' }] });
  if (owner === undefined || other === undefined) throw new Error('There are two');
  await edge.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
  await edge.ask({ do: 'until-tools', source: 'files@other', count: SCRIPTED_TOOLS });
  await other.ask({ do: 'until-nodes', count: 3 });
  const wire = await tapWire(server, [`${SUBJECTS}call.>`, `${SUBJECTS}reply.>`]);
  const args = { mark: 'real' };
  const caller = { role: 'review', principal: 'ann' };
  expect(await edge.ask({ do: 'call', source: 'files@owner', tool: 'who', args, caller })).toBe('owner');
  const request = (await wire.message(({ subject }) => subject === `${SUBJECTS}call.owner.files.edge`)).json();
  wire.take();
  return { edge, owner, other, wire, request: request as Fleet['request'] };
}

let sent = 0;

/** Sends a request as if it came from that node, and gives what it is answered with. */
async function send(
  { wire }: Fleet,
  { to, from = 'edge', request }: { readonly to: NodeProcess; readonly from?: string; readonly request: object },
): Promise<Msg> {
  sent += 1;
  const { incarnation } = await to.ask<{ readonly incarnation: number }>({ do: 'status' });
  const reply = `${SUBJECTS}reply.${from}.call.${String(sent).padStart(32, '0')}.${to.name}`;
  const data = JSON.stringify({ ...request, incarnation, args: { mark: 'forged' } });
  wire.nats.publish(`${SUBJECTS}call.${to.name}.files.${from}`, data, { reply });
  return wire.message(({ subject }) => subject === reply);
}

const refusal = (why: string) => expect.stringMatching(new RegExp(`^E.*"fleet":"refused".*${why}`));

describe('the principal of a call', () => {
  test('is rejected by another node, from another sender, altered or without a token', async () => {
    const fleet = await fleetWithCall();
    const { owner, other, request } = fleet;
    const told = async (...args: Parameters<typeof send>) => (await send(...args)).string();

    expect(await told(fleet, { to: other, request })).toEqual(refusal('is for the node'));
    expect(await told(fleet, { to: owner, from: 'other', request })).toEqual(refusal('is of the node'));
    for (const principal of forgeries(request.principal)) {
      expect(await told(fleet, { to: owner, request: { ...request, principal } })).toEqual(refusal(''));
    }

    expect(owner.all('called').map(({ detail }) => detail.mark)).toEqual(['real']);
    expect(other.all('called')).toEqual([]);
  });

  test('is rejected when the token has expired by the clock of the issuer', async () => {
    const fleet = await fleetWithCall();
    const { owner, wire, request } = fleet;
    const { privateKey, publicKey } = await createNodeKey();
    // A node that is nothing but a lease and a key. Its clock is an hour behind.
    const sentAtMs = Date.now() - 3_600_000;
    const life = { incarnation: 1, session: 'signer', beat: 1, heartbeatMs: 60_000, sentAtMs, publicKey, load: {} };
    wire.nats.publish(`${KEYS}lease.signer`, encodeRecord(life));
    await owner.ask({ do: 'until-nodes', count: 4 });
    const tokenOf = (ageMs: number) => {
      const clock = () => sentAtMs - ageMs;
      return createPrincipals({ node: 'signer', incarnation: 1, privateKey, clock }).tokenFor('owner');
    };
    const fresh = { ...request, principal: await tokenOf(0) };
    const old = { ...request, principal: await tokenOf(61_000) };
    expect((await send(fleet, { to: owner, from: 'signer', request: old })).string()).toEqual(refusal('has expired'));
    const answers = `${SUBJECTS}reply.signer.call.`;
    expect((await send(fleet, { to: owner, from: 'signer', request: fresh })).string()).toBe('A');
    await wire.message(({ subject, data }) => subject.startsWith(answers) && data[0] === 'F'.charCodeAt(0));
    await owner.event('called', { mark: 'forged' });
    expect(owner.all('called').map(({ detail }) => detail.mark)).toEqual(['real', 'forged']);
  });

  test('is rejected when the issuer has another incarnation', async () => {
    const fleet = await fleetWithCall();
    const { edge, owner, request } = fleet;
    await edge.kill();
    const next = startNode('edge', { bus: { servers: server.url }, sources: [{ name: 'files' }] });
    await next.event('joined');
    await next.ask({ do: 'until-tools', source: 'files@owner', count: SCRIPTED_TOOLS });
    expect(await next.call('files@owner', 'who', { mark: 'next' })).toBe('owner');
    expect((await send(fleet, { to: owner, request })).string()).toEqual(refusal('incarnation'));
    expect(owner.all('called').map(({ detail }) => detail.mark)).toEqual(['real', 'next']);
  });
});

/** Tokens that claim more than was signed, or have no valid signature. */
function forgeries(token: string): readonly string[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = { ...decode(payload), role: 'admin' };
  const unsigned = { ...decode(header), alg: 'none' };
  const last = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  return [
    [header, encode(claims), signature].join('.'),
    [header, payload, last].join('.'),
    [header, payload, ''].join('.'),
    [encode(unsigned), payload, ''].join('.'),
    '',
  ];
}

const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
