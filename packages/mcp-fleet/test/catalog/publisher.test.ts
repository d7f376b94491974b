import type { SourceTool } from '@x/internal/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineTool } from '../../src/catalog/definition.js';
import { Publisher } from '../../src/catalog/publisher.js';
import { decodeRecord, type ServerRecord, serverKey } from '../../src/catalog/records.js';
import { createMemoryBroker } from '../../src/memory/broker.js';
import type { FleetSource } from '../../src/source.js';
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
  const known = new Set<string>();
  let seq = 0;
  const publisher = new Publisher({
    bus,
    node: 'a',
    source,
    placement: 'pinned',
    incarnation: () => 7,
    nextSeq: () => (seq += 1),
    isKnown: (digest) => known.has(digest),
    onChange: () => undefined,
    onProblem: (error) => problems.push(error),
  });
  const inBucket = async (): Promise<ServerRecord | undefined> => {
    const key = serverKey('a', source.name);
    const entry = await broker.connect().bucket.get(key);
    const read = entry && decodeRecord(key, entry.value);
    return read?.kind === 'server' ? read.record : undefined;
  };
  return { bus, broker, publisher, problems, known, inBucket };
}

function digestsIn(record: ServerRecord | undefined): readonly string[] {
  const { tools = [] } = record ?? {};
  return 'pages' in tools ? tools.pages : tools.map(([, digest]) => digest);
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the record of a server', () => {
  test('lists the tools of the server, follows its changes and is deleted with it', async () => {
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

  test('is written after the announcement of its new definitions, so that no node fetches them', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { bus, publisher } = setUp(files);
    const told: unknown[] = [];
    bus.inner.subscribe('defined.a', ({ data }) => {
      const names = new TextDecoder()
        .decode(data)
        .split('\n')
        .map((text) => JSON.parse(text).name);
      told.push(names);
    });
    await bus.bucket.watch({
      onStart: () => undefined,
      onEntry: ({ key }) => told.push(key),
      onCurrent: () => undefined,
    });
    for (const tools of [[], [tool('read'), tool('write')], [tool('read', 'again'), tool('write'), tool('move')]]) {
      files.change([tool('read'), ...tools]);
      await publisher.publish();
      await bus.flush();
    }
    const key = serverKey('a', 'files');
    expect(told).toEqual([key, ['write'], key, ['read', 'move'], key]);
    await publisher[Symbol.asyncDispose]();
  });

  test('has the same digests when the source gives the same tools as other objects', async () => {
    const files = new ChangingSource('files', [tool('read'), tool('write')]);
    const { bus, publisher, inBucket } = setUp(files);
    await publisher.publish();
    const before = await inBucket();
    files.change([tool('read'), tool('write')]);
    await publisher.publish();
    expect(bus.written).toHaveLength(1);
    files.change([tool('read'), tool('write', 'again')]);
    await publisher.publish();
    const [[readBefore], [readAfter, writeAfter]] = [digestsIn(before), digestsIn(await inBucket())];
    expect(readAfter).toBe(readBefore);
    expect(publisher.find(writeAfter ?? '')?.text).toContain('again');
    await publisher[Symbol.asyncDispose]();
  });

  test('follows a source that changes its own objects, and lists them again', async () => {
    const read = { name: 'read', description: 'one', inputSchema: { type: 'object', required: ['a'] } };
    const tools = [read, tool('write')];
    const files = new ChangingSource('files', tools);
    const { publisher, inBucket } = setUp(files);
    await publisher.publish();
    const offered = async () => publisher.find(digestsIn(await inBucket())[0] ?? '')?.text;
    for (const change of [
      () => Object.assign(read, { description: 'two' }),
      () => read.inputSchema.required.push('b'),
      () => tools.splice(0, 1, { ...Object.assign(read, { description: 'three' }) }),
    ]) {
      change();
      files.change();
      await publisher.publish();
      expect(JSON.parse((await offered()) ?? '')).toEqual(tools[0]);
    }
    await publisher[Symbol.asyncDispose]();
  });

  test('is the only message when nodes already have the definitions, or had them just before', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { bus, publisher, known } = setUp(files);
    let announcements = 0;
    bus.inner.subscribe('defined.a', () => {
      announcements += 1;
    });
    known.add(defineTool(tool('known')).digest);
    for (const name of ['read', 'known', 'read', 'known', 'read']) {
      files.change([tool(name)]);
      await publisher.publish();
    }
    await bus.flush();
    expect(announcements).toBe(0);
    files.change([tool('new')]);
    await publisher.publish();
    await bus.flush();
    expect(announcements).toBe(1);
    await publisher[Symbol.asyncDispose]();
  });

  test('costs one write at a time, however often the server changes', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    const { bus, publisher, inBucket } = setUp(files);
    for (let change = 0; change < 100; change += 1) files.change([tool('read', `change ${change}`)]);
    await publisher.publish();
    expect(bus.written.length).toBeLessThanOrEqual(2);
    const [digest = ''] = digestsIn(await inBucket());
    expect(publisher.find(digest)?.text).toContain('change 99');
  });

  test('is written once for a source that announces a change whenever it lists', async () => {
    const files = new ChangingSource('files', [tool('read')]);
    let lists = 0;
    const announcing: FleetSource = {
      name: 'files',
      listTools: () => {
        lists += 1;
        files.change([tool(`read${lists}`)]);
        return files.listTools();
      },
      callTool: (...call) => files.callTool(...call),
      onToolsChanged: (listener) => files.onToolsChanged(listener),
    };
    const { bus, publisher, inBucket } = setUp(announcing);
    await publisher.publish();
    expect(lists).toBe(1);
    files.change();
    await publisher.publish();
    expect(lists).toBe(3);
    expect(bus.written).toHaveLength(3);
    expect((await inBucket())?.tools).toEqual([['read3', expect.any(String)]]);
    await publisher[Symbol.asyncDispose]();
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
  ])('stays away as long as the source %s, which is reported', async (_what, listTools) => {
    const source: FleetSource = { name: 'files', listTools, callTool: async () => ({ content: [] }) };
    const { publisher, problems, inBucket } = setUp(source);
    await publisher.publish();
    expect(problems).toHaveLength(1);
    expect(await inBucket()).toBeUndefined();
    await publisher[Symbol.asyncDispose]();
  });

  test('times out for a source that never lists its tools', async () => {
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

  test('leaves out a tool that cannot be published, and reports it once', async () => {
    const circular: Record<string, unknown> = { type: 'object' };
    circular.self = circular;
    const bad = { ...tool('bad'), inputSchema: circular };
    const long = tool('long', 'ä'.repeat(200_000));
    const nameless = { inputSchema: { type: 'object' } } as unknown as SourceTool;
    const files = new ChangingSource('files', [bad, tool('read'), long, nameless]);
    const { publisher, problems, inBucket } = setUp(files);
    await publisher.publish();
    files.state = 'degraded';
    await publisher.publish();
    expect((await inBucket())?.tools).toMatchObject([['read', expect.any(String)]]);
    expect(problems).toMatchObject([{ code: 'source-error' }, { code: 'message-too-large' }, { code: 'source-error' }]);
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

  test('keeps the definitions of the previous record available', async () => {
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
