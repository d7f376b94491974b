import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DiskMemory } from '../../src/catalog-cache/disk-memory.js';
import { createMemoryStore } from '../../src/catalog-cache/memory-store.js';
import type { ServerMemory } from '../../src/catalog-cache/server-memory.js';

const memory: ServerMemory = {
  savedAt: 1_700_000_000_000,
  facts: {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'files', version: '1.0.0' },
    capabilities: { tools: { listChanged: true } },
    instructions: undefined,
  },
  tools: [{ name: 'read', inputSchema: { type: 'object' }, extra: ['kept'] }],
  listedAt: 1_700_000_000_000,
  isPartial: true,
  lists: { 'prompts/list': { savedAt: 1_700_000_000_000, items: [{ name: 'ask', extra: ['kept'] }] } },
};
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'memory-store-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function withTools(count: number): ServerMemory {
  const tools = Array.from({ length: count }, (_, index) => ({ name: `tool-${index}`, inputSchema: {} }));
  return { ...memory, tools };
}

function fileOf(fingerprint: string): string {
  return join(directory, 'catalogs', `${fingerprint}.json`);
}

test('without a directory a launch is remembered while the store lives', () => {
  const store = createMemoryStore(undefined);
  expect(store.recall('one')).toBeUndefined();
  store.remember('one', memory);
  expect(store.recall('one')).toBe(memory);
  expect(createMemoryStore(undefined).recall('one')).toBeUndefined();
  store.forget('one');
  expect(store.recall('one')).toBeUndefined();
});

describe('with a directory', () => {
  test('another store reads at once what the first one wrote', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    expect(createMemoryStore(directory).recall('one')).toEqual(memory);
  });

  test('secrets are not on disk, and entries that redaction would break are omitted', async () => {
    const secret = 'seekrit-value-1';
    const redact = (text: string): string => text.replaceAll(secret, '***');
    const told: ServerMemory = {
      ...memory,
      facts: {
        ...memory.facts,
        serverInfo: { name: secret, version: secret },
        capabilities: { tools: {}, experimental: { odd: { [secret]: secret } } },
        instructions: `use ${secret}`,
      },
      tools: [
        { name: 'read', description: `reads ${secret}`, inputSchema: { type: 'object' } },
        { name: `read-${secret}`, inputSchema: { type: 'object' } },
        { name: 'choose', inputSchema: { type: 'object', properties: { key: { enum: [secret] } } } },
      ],
      isPartial: false,
      lists: {
        'prompts/list': {
          savedAt: 1,
          items: [{ name: 'ask', description: secret }, { name: secret }],
        },
      },
    };
    const store = createMemoryStore(directory, redact);
    store.remember('one', told);
    await store.flush();
    expect(store.recall('one')).toBe(told);
    expect(readFileSync(fileOf('one'), 'utf8')).not.toContain(secret);
    expect(createMemoryStore(directory).recall('one')).toMatchObject({
      facts: { era: 'legacy', serverInfo: { name: '***' }, capabilities: { tools: {} }, instructions: 'use ***' },
      tools: [{ name: 'read', description: 'reads ***', inputSchema: { type: 'object' } }],
      isPartial: true,
      lists: { 'prompts/list': { items: [{ name: 'ask', description: '***' }] } },
    });
  });

  test.skipIf(process.platform === 'win32')('files are private', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    expect(statSync(fileOf('one')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'catalogs')).mode & 0o777).toBe(0o700);
  });

  test('of many memories of one launch the newest is kept, and nothing else lies around', async () => {
    const store = createMemoryStore(directory);
    for (let count = 1; count <= 50; count += 1) store.remember('one', withTools(count));
    await store.flush();
    expect(createMemoryStore(directory).recall('one')?.tools).toHaveLength(50);
    expect(readdirSync(join(directory, 'catalogs'))).toEqual(['one.json']);
  });

  test('an unchanged memory is written once a day', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    const { ino } = statSync(fileOf('one'));
    const dayMs = 24 * 60 * 60 * 1_000;
    const at = (ms: number): ServerMemory => {
      const savedAt = memory.savedAt + ms;
      const lists = { 'prompts/list': { savedAt, items: [{ name: 'ask', extra: ['kept'] }] } };
      return structuredClone({ ...memory, savedAt, listedAt: savedAt, lists });
    };
    for (let ms = 1_000; ms < dayMs; ms += 1_000_000) store.remember('one', at(ms));
    await store.flush();
    expect(statSync(fileOf('one')).ino).toBe(ino);
    expect(store.recall('one')?.savedAt).toBeGreaterThan(memory.savedAt);
    store.remember('one', at(dayMs));
    await store.flush();
    expect(createMemoryStore(directory).recall('one')).toEqual(at(dayMs));
  });

  test('frequent changes are written every two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const disk = new DiskMemory(directory);
      disk.write('one', withTools(1));
      while (vi.getTimerCount() === 0) await new Promise(setImmediate); // it comes with the end of the first round
      const toolsOnDisk = (): number => JSON.parse(readFileSync(fileOf('one'), 'utf8')).tools.length;
      for (let count = 2; count <= 10; count += 1) disk.write('one', withTools(count));
      await vi.advanceTimersByTimeAsync(1_999);
      expect(toolsOnDisk()).toBe(1);
      expect(disk.read('one')?.tools).toHaveLength(10);
      await vi.advanceTimersByTimeAsync(1);
      await disk.flush();
      expect(toolsOnDisk()).toBe(10);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a memory that cannot be written as JSON costs a warning, and the next ones are written', async () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    const disk = new DiskMemory(directory);
    const warning = once(process, 'warning');
    disk.write('one', { ...memory, tools: [{ name: 'a', inputSchema: endless as Record<string, unknown> }] });
    disk.write('two', memory);
    await disk.flush();
    expect(((await warning) as [Error])[0].message).toContain('Tool lists cannot be stored in');
    expect(disk.read('two')).toEqual(memory);
  });

  test('a forgotten launch is known only from the disk', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    store.forget('one');
    rmSync(fileOf('one'));
    expect(store.recall('one')).toBeUndefined();
  });

  test('the files have at most 128 MB, and the least recently used goes first', async () => {
    const folder = join(directory, 'catalogs');
    mkdirSync(folder);
    for (let age = 1; age <= 20; age += 1) {
      const path = fileOf(`old-${age}`);
      writeFileSync(path, '');
      truncateSync(path, 10 * 1_024 * 1_024);
      const usedAt = new Date(Date.now() - age * 60_000);
      utimesSync(path, usedAt, usedAt);
    }
    writeFileSync(join(folder, 'of-somebody-else.txt'), '');
    const store = createMemoryStore(directory);
    const kept = Array.from({ length: 12 }, (_, index) => `old-${index + 1}.json`);
    expect(readdirSync(folder).sort()).toEqual(['of-somebody-else.txt', ...kept].sort());
    store.remember('new', memory);
    await store.flush();
    expect(readdirSync(folder)).toContain('new.json');
  });

  test('removes an unfinished file after an hour', () => {
    const path = `${fileOf('one')}.${randomUUID()}`;
    mkdirSync(join(directory, 'catalogs'));
    writeFileSync(path, '{');
    createMemoryStore(directory);
    expect(existsSync(path)).toBe(true);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
    utimesSync(path, twoHoursAgo, twoHoursAgo);
    createMemoryStore(directory);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['half a file', (text: string) => text.slice(0, 40)],
    ['another format', (text: string) => text.replace('"format":1', '"format":2')],
    ['a tool without a name', (text: string) => text.replace('"name":"read"', '"name":7')],
    ['a prompt without a name', (text: string) => text.replace('"name":"ask"', '"name":7')],
    ['a time that is none', (text: string) => text.replace(/"listedAt":\d+/, '"listedAt":"now"')],
    ['an unknown list', (text: string) => text.replace('prompts/list', 'roots/list')],
    ['an unknown era', (text: string) => text.replace('"legacy"', '"future"')],
    ['no object', () => '[]'],
    ['no text', () => ''],
  ])('%s is as good as none', async (_, damage) => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    writeFileSync(fileOf('one'), damage(readFileSync(fileOf('one'), 'utf8')));
    expect(createMemoryStore(directory).recall('one')).toBeUndefined();
  });

  test('files that were unused for 90 days are removed', async () => {
    const store = createMemoryStore(directory);
    store.remember('old', memory);
    store.remember('new', memory);
    await store.flush();
    const longAgo = new Date(Date.now() - 91 * 24 * 60 * 60 * 1_000);
    utimesSync(fileOf('old'), longAgo, longAgo);
    createMemoryStore(directory);
    expect(readdirSync(join(directory, 'catalogs'))).toEqual(['new.json']);
  });

  test('a server object in memory is remembered, but not on disk', async () => {
    const store = createMemoryStore(directory);
    store.remember('in-process-1-auto', memory);
    await store.flush();
    expect(store.recall('in-process-1-auto')).toBe(memory);
    expect(readdirSync(join(directory, 'catalogs'))).toEqual([]);
  });

  test('a directory that cannot be made costs a warning, not the server', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    try {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      const store = createMemoryStore(file);
      store.remember('one', memory);
      store.remember('two', memory);
      await store.flush();
      await new Promise(setImmediate);
      expect(store.recall('one')).toBe(memory);
      expect(warnings).toEqual([expect.stringContaining('Tool lists cannot be stored in')]);
    } finally {
      process.off('warning', onWarning);
    }
  });
});
