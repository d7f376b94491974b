import { describe, expect, test } from 'vitest';
import { nodePermissions } from '../../src/bus/fleet-subjects.js';
import { announceDefinitions, receiveDefinitions } from '../../src/catalog/announcements.js';
import { defineTool } from '../../src/catalog/definition.js';
import { DefinitionStore } from '../../src/catalog/definition-store.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import { tool } from '../helpers/offered.js';

const encoder = new TextEncoder();
const [read, write] = [defineTool(tool('read')), defineTool(tool('write'))];

function setUp({ maxPayloadBytes = 1024 * 1024 } = {}) {
  const broker = createMemoryBroker({ maxPayloadBytes });
  const connect = (node: string) => broker.connect({ node, permissions: nodePermissions(node) });
  const [a, b] = [connect('a'), connect('b')];
  const store = new DefinitionStore();
  receiveDefinitions(b, 'b', store);
  /** What the other node has of them when all that was sent is there. */
  const known = async () => {
    await a.flush();
    await b.flush();
    return [read, write].flatMap(({ digest }) => store.tool(digest)?.name ?? []);
  };
  return { a, b, store, known };
}

describe('definitions that are announced', () => {
  test('are known to other nodes', async () => {
    const { a, known } = setUp();
    announceDefinitions(a, 'a', [read.text, write.text]);
    expect(await known()).toEqual(['read', 'write']);
  });

  test.each([
    ['more than 64 KiB', {}, 'x'.repeat(64 * 1024)],
    ['more than 64 KiB in UTF-8', {}, 'ä'.repeat(40 * 1024)],
    ['more than a message of the bus', { maxPayloadBytes: 16 * 1024 }, 'x'.repeat(16 * 1024)],
  ])('are not sent when they have %s together', async (_what, options, description) => {
    const { a, b, known } = setUp(options);
    let sent = 0;
    b.subscribe('defined.*', () => {
      sent += 1;
    });
    announceDefinitions(a, 'a', [read.text, defineTool(tool('long', description)).text]);
    expect(await known()).toEqual([]);
    expect(sent).toBe(0);
  });

  test('are skipped when the bus cannot send them', () => {
    const { a } = setUp();
    a.disconnect();
    expect(() => announceDefinitions(a, 'a', [read.text])).not.toThrow();
  });

  test('are not accepted from one node in the name of another', async () => {
    const { a, known } = setUp();
    announceDefinitions(a, 'c', [read.text]);
    expect(await known()).toEqual([]);
  });

  test("are not this node's own, which it has", async () => {
    const { b, known } = setUp();
    announceDefinitions(b, 'b', [read.text]);
    expect(await known()).toEqual([]);
  });

  test('are read up to the first malformed one, and not at all above the limit', async () => {
    const { a, known } = setUp();
    a.publish('defined.a', encoder.encode(`${read.text}\n{}\n${write.text}`));
    expect(await known()).toEqual(['read']);
    a.publish('defined.a', encoder.encode(`${write.text}\n${read.text}`.padEnd(64 * 1024 + 1)));
    expect(await known()).toEqual(['read']);
  });
});
