import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Publisher } from '../../src/catalogue/publisher.js';
import { decodeRecord, type ServerRecord, serverKey } from '../../src/catalogue/records.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import type { FleetSource, SourceTool } from '../../src/source.js';
import { ChangingSource, tool } from '../helpers/offered.js';
import { TroubledBus } from '../helpers/troubled-bus.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(source: FleetSource, { maxPayloadBytes = 1024 * 1024 } = {}) {
  const broker = createMemoryBroker({ maxPayloadBytes });
  const bus = new TroubledBus(broker.connect());
  const problems: unknown[] = [];
  let seq = 0;
  const publisher = new Publisher({
    bus,
    host: 'a',
    source,
    placement: 'pinned',
    incarnation: () => 7,
    nextSeq: () => (seq += 1),
    onChange: () => undefined,
    onProblem: (error) => problems.push(error),
  });
  const inBucket = async (): Promise<ServerRecord | undefined> => {
    const key = serverKey('a', source.name);
    const entry = await broker.connect().bucket.get(key);
    const read = entry && decodeRecord(key, entry.value);
    return read?.kind === 'server' ? read.record : undefined;
  };
  return { bus, broker, publisher, problems, inBucket };
}

function digestsIn(record: ServerRecord | undefined): readonly string[] {
  const { tools = [] } = record ?? {};
  return 'pages' in tools ? tools.pages : tools.map(([, digest]) => digest);
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the record of a server', () => {
  test('says what the server offers, follows its changes and goes with it', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { bus, publisher, inBucket } = setUp(files);
    await publisher.publish();
    expect(await inBucket()).toMatchObject({
      incarnation: 7,
      seq: 1,
      state: 'running',
      tools: [['read', expect.any(String)]],
    });
    files.change([tool('read'), tool('write')]);
    await publisher.publish();
    expect((await inBucket())?.tools).toHaveLength(2);
    const { length } = bus.written;
    await publisher.publish();
    expect(bus.written).toHaveLength(length);
    await publisher[Symbol.asyncDispose]();
    expect(await inBucket()).toBeUndefined();
    files.change([]);
    await publisher.publish();
    expect(await inBucket()).toBeUndefined();
  });

  test('brings along definitions that are new in it, if they are short', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { broker, publisher } = setUp(files);
    const key = serverKey('a', 'files');
    const freshNames = async () => {
      const entry = await broker.connect().bucket.get(key);
      const read = entry && decodeRecord(key, entry.value);
      return read?.kind === 'server' ? read.fresh?.map((text) => JSON.parse(text).name) : 'nothing';
    };
    await publisher.publish();
    expect(await freshNames()).toEqual(['read']);
    files.change([tool('read'), tool('write')]);
    await publisher.publish();
    expect(await freshNames()).toEqual(['write']);
    files.change([tool('read'), tool('write'), tool('long', 'x'.repeat(8_192))]);
    await publisher.publish();
    expect(await freshNames()).toBeUndefined();
    await publisher[Symbol.asyncDispose]();
  });

  test('costs one write at a time, however often the server changes meanwhile', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { bus, publisher, inBucket } = setUp(files);
    for (let change = 0; change < 100; change += 1) files.change([tool('read', `change ${change}`)]);
    await publisher.publish();
    expect(bus.written.length).toBeLessThanOrEqual(2);
    const [digest = ''] = digestsIn(await inBucket());
    expect(publisher.find(digest)?.text).toContain('change 99');
  });

  test('is written once more when the bus did not confirm it', async () => {
    const { bus, publisher, problems, inBucket } = setUp(new ChangingSource('files', [tool('read')]));
    bus.writes = 'lost';
    await publisher.publish();
    expect(problems).toMatchObject([{ code: 'bus-down' }]);
    bus.writes = 'fine';
    await pass(5_000);
    expect(await inBucket()).toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no list');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no list');
      },
    ],
    ['answers what is no list', () => 7 as unknown as readonly SourceTool[]],
  ])('stays away as long as the source %s, which is told', async (_what, listTools) => {
    const source: FleetSource = { name: 'files', listTools, callTool: async () => ({ content: [] }) };
    const { publisher, problems, inBucket } = setUp(source);
    await publisher.publish();
    expect(problems).toHaveLength(1);
    expect(await inBucket()).toBeUndefined();
    await publisher[Symbol.asyncDispose]();
  });

  test('does not wait without end for a source that never answers', async () => {
    let answers = false;
    const source: FleetSource = {
      name: 'files',
      listTools: () => (answers ? [tool('read')] : new Promise<never>(() => undefined)),
      callTool: async () => ({ content: [] }),
    };
    const { publisher, problems, inBucket } = setUp(source);
    const published = publisher.publish();
    await pass(30_000);
    await published;
    expect(problems).toMatchObject([{ code: 'timed-out', server: 'files' }]);
    answers = true;
    await publisher.publish();
    expect(await inBucket()).toBeDefined();
    answers = false;
    void publisher.publish();
    await publisher[Symbol.asyncDispose]();
    expect(await inBucket()).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves out a tool that cannot be told, and says so once', async () => {
    const circular: Record<string, unknown> = { type: 'object' };
    circular.self = circular;
    const bad = { ...tool('bad'), inputSchema: circular };
    const long = tool('long', 'ä'.repeat(200_000));
    const files = new ChangingSource('files', [bad, tool('read'), long]);
    const { publisher, problems, inBucket } = setUp(files);
    await publisher.publish();
    files.state = 'degraded';
    await publisher.publish();
    expect((await inBucket())?.tools).toMatchObject([['read', expect.any(String)]]);
    expect(problems).toMatchObject([{ code: 'source-error' }, { code: 'message-too-large' }]);
    expect(publisher.toolCount).toBe(1);
  });

  test('stays small: long lists and long names are on pages that one message can carry', async () => {
    const named = Array.from({ length: 300 }, (_, index) => tool(`${index}${'n'.repeat(1_000)}`));
    const { publisher, inBucket, problems } = setUp(new ChangingSource('files', named), { maxPayloadBytes: 32 * 1024 });
    await publisher.publish();
    const tools = (await inBucket())?.tools;
    if (tools === undefined || !('pages' in tools)) throw new Error('expected pages');
    expect(tools.count).toBe(300);
    const pages = tools.pages.map((digest) => publisher.find(digest)?.text ?? '');
    for (const page of pages) expect(page.length).toBeLessThan(32 * 1024);
    expect(pages.flatMap((page) => JSON.parse(page) as unknown[])).toHaveLength(300);
    expect(problems).toEqual([]);
  });

  test('that was there before may still be asked about', async () => {
    const files = new ChangingSource('files', [tool('old')]);
    const { publisher, inBucket } = setUp(files);
    await publisher.publish();
    const [old = ''] = digestsIn(await inBucket());
    files.change([tool('new')]);
    await publisher.publish();
    files.state = 'degraded';
    await publisher.publish();
    expect(publisher.find(old)?.text).toContain('"old"');
  });
});
