import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createListSource, tool } from '@x/test-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makePin } from '../../src/pins/check-pins.js';
import { createPinFile } from '../../src/pins/pin-file.js';
import { createRegistry } from '../../src/registry.js';
import { shown } from '../helpers/pins.js';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pins-'));
  path = join(directory, 'state', 'pins.json');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const first = { type: 'first-use', server: 'git', tools: [makePin(tool('log') as never, 'first-use')] } as const;

describe('a file of pins', () => {
  test('is not written before the first approval', async () => {
    expect(await createPinFile({ path }).load()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test.runIf(process.platform !== 'win32')('is readable only by its owner, like its directory', async () => {
    await createPinFile({ path }).save([first]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect(await readdir(dirname(path))).toEqual(['pins.json']);
  });

  test('returns the stored pins, and is readable for people', async () => {
    const kept = await createPinFile({ path }).save([first]);
    expect(await createPinFile({ path }).load()).toEqual(kept);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 1, servers: JSON.parse(JSON.stringify(kept)) });
  });

  test('keeps approvals for the next registry', async () => {
    for (const offered of [[tool('log')], [tool('log'), tool('push')]]) {
      const registry = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path }) });
      await registry.attach(createListSource('git', offered)).ready;
      expect(shown(registry)).toEqual(['log']);
      await registry.close();
    }
  });

  test('stays readable with the largest tools of one server', async () => {
    const nested = Array.from({ length: 100 }).reduce<object>((inner) => ({ a: inner }), {});
    const hostile = [
      tool('deep', { inputSchema: nested }),
      tool('long', {
        inputSchema: { description: 'x'.repeat(500_000) },
        outputSchema: { description: 'y'.repeat(500_000) },
        annotations: { title: 'z'.repeat(500_000) },
      }),
      tool('many', { inputSchema: { enum: Array(99_990).fill(0) }, outputSchema: { enum: Array(19_990).fill(0) } }),
    ];
    for (let process = 0; process < 2; process++) {
      const registry = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path }) });
      registry.attach(createListSource('git', [tool('log')]));
      await registry.attach(createListSource('hostile', hostile)).ready;
      expect(await registry.diagnostics()).not.toContainEqual(expect.objectContaining({ code: 'pin-store-failed' }));
      expect(shown(registry)).toEqual(['log', 'deep', 'long', 'many']);
      await registry.close();
    }
    // Indented, the nesting alone would be more than that.
    expect((await stat(path)).size).toBeLessThan(3_000_000);
  });

  test('of two registries that meet a server at once with different tools, the first decides for both', async () => {
    const registries = [1, 2].map(() =>
      createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path }) }),
    );
    const lists = [[tool('log')], [tool('log', { description: 'Poisoned' })]];
    await Promise.all(
      registries.map((registry, index) => registry.attach(createListSource('git', lists[index])).ready),
    );
    expect(registries.map(shown).toSorted((left, right) => left.length - right.length)).toEqual([[], ['log']]);
  });

  test('a relative path is resolved against the current directory', async () => {
    await createPinFile({ path: relative(process.cwd(), path) }).save([first]);
    expect(await readdir(dirname(path))).toEqual(['pins.json']);
  });

  test.each(['', 5, undefined])('the path %j is refused', (wrong) => {
    expect(() => createPinFile({ path: wrong as never })).toThrow(/^path must be a text that is not empty/);
  });
});

describe('a file that is not a pin file', () => {
  const kept = JSON.stringify({ version: 1, servers: [{ server: 'git', tools: first.tools }] });
  test.each([
    ['empty', ''],
    ['cut off', kept.slice(0, -5)],
    ['something else', '[]'],
    ['of a later version', kept.replace('1', '2')],
    ['changed by hand', kept.replace('Does log', 'Does other things')],
  ])('%s: fails, makes nothing trusted and stays unchanged', async (_kind, text) => {
    path = join(directory, 'pins.json');
    await writeFile(path, text);
    const registry = createRegistry({ trust: 'pin-on-first-use', pinStore: createPinFile({ path }) });
    await registry.attach(createListSource('git', [tool('log')])).ready;
    expect(shown(registry)).toEqual([]);
    expect((await registry.diagnostics())[0]).toMatchObject({
      code: 'pin-store-failed',
      message: expect.stringMatching(/pins\.json is not a pin file: .*Nothing in it counts as approved/),
    });
    await expect(registry.pins.approve(await registry.pins.list())).rejects.toMatchObject({ code: 'pin-store-failed' });
    expect(await readFile(path, 'utf8')).toBe(text);
    await registry.close();
  });
});

describe('several processes', () => {
  test('keep the approvals of each process', async () => {
    const fixture = fileURLToPath(new URL('../fixtures/approve-tools.ts', import.meta.url));
    const servers = ['a', 'b', 'c'];
    const run = promisify(execFile);
    await Promise.all(servers.map((server) => run(process.execPath, ['--import', 'tsx', fixture, path, server, '10'])));
    const pins = await createPinFile({ path }).load();
    expect(pins.map(({ server, tools }) => [server, tools.length])).toEqual(servers.map((server) => [server, 10]));
    expect(await readdir(dirname(path))).toEqual(['pins.json']);
  });

  test('the lock of a process that is gone is taken over', async () => {
    path = join(directory, 'pins.json');
    await writeFile(`${path}.lock`, '');
    const before = new Date(Date.now() - 60_000);
    await utimes(`${path}.lock`, before, before);
    await createPinFile({ path }).save([first]);
    expect(await readdir(directory)).toEqual(['pins.json']);
  });
});
