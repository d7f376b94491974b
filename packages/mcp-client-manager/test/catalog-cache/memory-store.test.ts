import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
  lists: { 'prompts/list': { savedAt: 1_700_000_000_000, items: [{ name: 'ask', extra: ['kept'] }] } },
};
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'memory-store-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function fileOf(fingerprint: string): string {
  return join(directory, 'catalogs', `${fingerprint}.json`);
}

test('without a directory a launch is remembered while the store lives', () => {
  const store = createMemoryStore(undefined);
  expect(store.recall('one')).toBeUndefined();
  store.remember('one', memory);
  expect(store.recall('one')).toBe(memory);
  expect(createMemoryStore(undefined).recall('one')).toBeUndefined();
});

describe('with a directory', () => {
  test('another store knows at once what one has kept', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    expect(createMemoryStore(directory).recall('one')).toEqual(memory);
  });

  test('files are private', async () => {
    const store = createMemoryStore(directory);
    store.remember('one', memory);
    await store.flush();
    expect(statSync(fileOf('one')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'catalogs')).mode & 0o777).toBe(0o700);
  });

  test('of many memories of one launch the newest is kept, and nothing else lies around', async () => {
    const store = createMemoryStore(directory);
    for (let savedAt = 1; savedAt <= 50; savedAt += 1) store.remember('one', { ...memory, savedAt });
    await store.flush();
    expect(createMemoryStore(directory).recall('one')?.savedAt).toBe(50);
    expect(readdirSync(join(directory, 'catalogs'))).toEqual(['one.json']);
  });

  test.each([
    ['half a file', (text: string) => text.slice(0, 40)],
    ['another format', (text: string) => text.replace('"format":1', '"format":2')],
    ['a tool without a name', (text: string) => text.replace('"name":"read"', '"name":7')],
    ['a prompt without a name', (text: string) => text.replace('"name":"ask"', '"name":7')],
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

  test('what was not used for 90 days is forgotten', async () => {
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
      expect(warnings).toEqual([expect.stringContaining('Servers cannot be remembered in')]);
    } finally {
      process.off('warning', onWarning);
    }
  });
});
