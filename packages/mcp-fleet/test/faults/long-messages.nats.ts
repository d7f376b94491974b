import { createHash } from 'node:crypto';
import { type NatsServer, startNatsServer } from '@x/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFleet, type Fleet } from '../../src/fleet.js';
import { openNatsBus } from '../../src/nats.js';
import type { FleetOptions } from '../../src/options.js';
import type { FleetSource } from '../../src/source.js';
import { tool } from '../helpers/offered.js';
import { sourceOf } from '../helpers/until.js';
import { longText } from './long-text.js';
import { startNode } from './node-process.js';
import { SCRIPTED_TOOLS } from './scripted-source.js';
import { untilTools } from './until-tools.js';
import { SUBJECTS, tapWire } from './wire-tap.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Nothing here waits for one. */
const heartbeatMs = 10_000;

async function start(config: string): Promise<NatsServer> {
  const server = await startNatsServer({ config });
  onTestFinished(() => server.stop());
  return server;
}

async function joinHere(server: NatsServer, { node = 'edge', ...options }: Partial<FleetOptions> = {}): Promise<Fleet> {
  const bus = await openNatsBus({ servers: server.url, node });
  const fleet = createFleet({ bus, node, ...options });
  onTestFinished(async () => {
    await fleet.close();
    await bus.close();
  });
  return fleet;
}

const textOf = (result: { readonly content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe('a payload longer than a message of the bus', () => {
  test.each([
    ['64 KiB', 'max_payload: 65536', 64 * KIB],
    ['the usual 1 MiB', '', MIB],
  ])('arrives as it was sent, as a result and as arguments: with %s', async (_limit, config, maxPayload) => {
    const server = await start(config);
    startNode('owner', { bus: { servers: server.url }, sources: [{ name: 'files' }], heartbeatMs });
    const edge = await joinHere(server);
    const files = await sourceOf(edge, 'files@owner');
    const wire = await tapWire(server, [`${SUBJECTS}>`]);
    for (const length of [maxPayload - 100, maxPayload, 5 * MIB]) {
      const text = textOf(await files.callTool('long', { length }, {}));
      expect(text.length).toBe(length);
      expect(text === longText(length)).toBe(true);
    }
    const text = longText(3 * MIB);
    const digest = createHash('sha256').update(text).digest('hex');
    expect(textOf(await files.callTool('digest', { text }, {}))).toBe(digest);
    const several = [2 * MIB, 3 * MIB, 10, 4 * MIB].map(async (length) => {
      return textOf(await files.callTool('long', { length }, {})) === longText(length);
    });
    expect(await Promise.all(several)).toEqual([true, true, true, true]);
    await wire.nats.flush();
    expect(wire.messages.length).toBeGreaterThan(0);
    expect(wire.messages.filter(({ data }) => data.length > Math.min(maxPayload, 512 * KIB))).toEqual([]);
  });

  test('arrives unchanged with any characters, at any chunk boundary', async () => {
    const server = await start('max_payload: 65536');
    const echo: FleetSource = {
      name: 'echo',
      listTools: () => [tool('echo')],
      callTool: async (_tool, given) => ({ content: [], given }),
    };
    await joinHere(server, { node: 'owner', sources: [echo], heartbeatMs });
    const files = await sourceOf(await joinHere(server, { heartbeatMs }), 'echo@owner');
    for (const letters of ['\uFEFFä€日😀\0"\n', '日', '\uDE00\uD83D']) {
      for (const length of [KIB, 20 * KIB, 300 * KIB]) {
        const given = { text: letters.repeat(length / letters.length), list: [{ blob: longText(length) }, letters] };
        expect(JSON.stringify((await files.callTool('echo', given, {})).given)).toBe(JSON.stringify(given));
      }
    }
  });

  test('fails with its own code above the limits, and never as a timeout', async () => {
    const server = await start('max_payload: 65536');
    const bus = { servers: server.url };
    startNode('strict', { bus, sources: [{ name: 'files' }], heartbeatMs, maxResultBytes: MIB });
    startNode('lavish', { bus, sources: [{ name: 'files' }], heartbeatMs });
    const edge = await joinHere(server, { maxResultBytes: 2 * MIB });
    const strict = await sourceOf(edge, 'files@strict');
    const lavish = await sourceOf(edge, 'files@lavish');
    expect(textOf(await strict.callTool('long', { length: MIB - KIB * 128 }, {})).length).toBe(MIB - KIB * 128);
    await expect(strict.callTool('long', { length: MIB }, {})).rejects.toMatchObject({
      code: 'result-too-large',
      retryable: false,
      node: 'strict',
    });
    await expect(lavish.callTool('long', { length: 2 * MIB }, {})).rejects.toMatchObject({
      code: 'result-too-large',
      node: 'lavish',
    });
    await expect(lavish.callTool('digest', { text: longText(9 * MIB) }, {})).rejects.toMatchObject({
      code: 'message-too-large',
      retryable: false,
    });
    // Nothing of it stands in the way of what comes next.
    expect(textOf(await strict.callTool('who', {}, {}))).toBe('strict');
    expect(textOf(await lavish.callTool('who', {}, {}))).toBe('lavish');
  });

  test('is still published when it is a list of tools', async () => {
    const server = await start('max_payload: 65536');
    startNode('owner', { bus: { servers: server.url }, sources: [{ name: 'files', tools: 2_000 }], heartbeatMs });
    const edge = await joinHere(server);
    await untilTools(edge, 'files@owner', SCRIPTED_TOOLS + 2_000);
  });
});
