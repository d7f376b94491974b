import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileTokenStore } from '../../src/auth/token-store.js';
import { failureOf } from '../helpers/failure-of.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sign-ins-'));
  path = join(directory, 'deep', 'sign-ins.json');
});
afterEach(() => rm(directory, { recursive: true }));

test('reads written entries, also through another store on the same file, until they are removed', async () => {
  const store = createFileTokenStore(path);
  expect(await store.read('a')).toBeUndefined();
  await store.write('a', 'one');
  await store.write('b', 'two');
  expect(await createFileTokenStore(path).read('a')).toBe('one');
  await store.remove('a');
  await store.remove('never there');
  expect(await store.read('a')).toBeUndefined();
  expect(await store.read('b')).toBe('two');
});

test('accepts names of object properties as keys', async () => {
  const store = createFileTokenStore(path);
  expect(await store.read('toString')).toBeUndefined();
  await store.write('__proto__', 'one');
  await store.write('constructor', 'two');
  expect(await createFileTokenStore(path).read('__proto__')).toBe('one');
  expect(await store.read('constructor')).toBe('two');
});

test.skipIf(process.platform === 'win32')('only the owner can read the file and its directory', async () => {
  const store = createFileTokenStore(path);
  await store.write('a', 'one');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'deep'))).mode & 0o777).toBe(0o700);
});

test('keeps concurrent changes of several stores on one file', async () => {
  const stores = [createFileTokenStore(path), createFileTokenStore(path), createFileTokenStore(path)];
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  await Promise.all(keys.map((key, index) => stores[index % stores.length]?.write(key, key)));
  const kept = JSON.parse(await readFile(path, 'utf8'));
  expect(kept).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
});

test.each(['{"a": "sec', '["sec"]', '{"a": {"b": "sec"}}', 'null'])(
  'a file of something else is refused without its content: %s',
  async (text) => {
    path = join(directory, 'sign-ins.json');
    await writeFile(path, text);
    const store = createFileTokenStore(path);
    for (const asked of [store.read('a'), store.write('a', 'one')]) {
      const { message } = (await failureOf(asked)) as Error;
      expect(message).toContain(`${path} is not a sign-in file`);
      expect(message).not.toContain('sec');
    }
    expect(await readFile(path, 'utf8')).toBe(text);
  },
);

test('refuses a relative path', () => {
  expect(() => createFileTokenStore('sign-ins.json')).toThrow(
    new TypeError('path must be an absolute path, got "sign-ins.json"'),
  );
});

test('a change fails after five seconds of a lock by another process, and names the lock', async () => {
  const store = createFileTokenStore(path);
  await store.write('a', 'one');
  await writeFile(`${path}.lock`, '');
  expect(await failureOf(store.write('a', 'two'))).toMatchObject({
    message: `another process has locked ${path}.lock`,
  });
  expect(await store.read('a')).toBe('one');
});
