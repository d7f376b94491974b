import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entriesOf, SignInStore, signInsFile } from '../../src/signing-in/sign-ins.js';
import { keyStoreInMemory } from '../helpers/key-store.js';

const url = 'https://tickets.example.com/mcp?from=here';
const { tokens, client } = entriesOf(url);
const secret = '{"access_token":"sentinel-token-1"}';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpx-sign-ins-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const kept = (): Promise<string> => readFile(signInsFile(folder), 'utf8');
const file = { MCPX_SIGN_INS: 'file' };

describe('a sign-in', () => {
  test('is sealed in a file that only its owner can read, with a key from the key store', async () => {
    const keyStore = keyStoreInMemory();
    const store = new SignInStore(folder, { env: {}, keyStore: async () => keyStore });
    await store.prepare(url);
    await store.write(tokens, secret);
    expect(await store.read(tokens)).toBe(secret);
    expect(await kept()).not.toContain('sentinel');
    expect(await kept()).not.toContain(keyStore.kept.get('sign-ins'));
    expect((await stat(signInsFile(folder))).mode & 0o777).toBe(0o600);
    // Another process finds the same.
    const later = new SignInStore(folder, { env: {}, keyStore: async () => keyStore });
    expect(await later.read(tokens)).toBe(secret);
    await later.remove(tokens);
    expect(await store.read(tokens)).toBeUndefined();
  });

  test('is not stored without a key store, unless a plain file is chosen', async () => {
    const without = new SignInStore(folder, { env: {}, keyStore: undefined });
    const broken = new SignInStore(folder, { env: {}, keyStore: () => Promise.reject(new Error('it is locked')) });
    for (const store of [without, broken]) {
      await expect(store.prepare(url)).rejects.toThrow(
        /key store, which has the key to sign-ins, is unavailable \(.+\)\. .*MCPX_SIGN_INS=file/,
      );
      await expect(store.write(tokens, secret)).rejects.toThrow('MCPX_SIGN_INS=file');
    }
    await expect(kept()).rejects.toMatchObject({ code: 'ENOENT' });
    const chosen = new SignInStore(folder, { env: file, keyStore: undefined });
    await chosen.prepare(url);
    await chosen.write(client, '{}');
    await chosen.write(tokens, secret);
    expect(await kept()).toContain('sentinel-token-1');
    expect((await stat(signInsFile(folder))).mode & 0o777).toBe(0o600);
  });

  test('in a plain file is renewed there even without the variable', async () => {
    await new SignInStore(folder, { env: file, keyStore: undefined }).write(tokens, secret);
    const daemon = new SignInStore(folder, { env: {}, keyStore: undefined });
    await daemon.write(tokens, '{"access_token":"sentinel-token-2"}');
    expect(await daemon.read(tokens)).toBe('{"access_token":"sentinel-token-2"}');
    await expect(daemon.write(entriesOf('https://other.example.com/').tokens, secret)).rejects.toThrow('key store');
  });

  test('with a lost key counts as missing, and a locked key store is reported', async () => {
    const keyStore = keyStoreInMemory();
    await new SignInStore(folder, { env: {}, keyStore: async () => keyStore }).write(tokens, secret);
    const lost = new SignInStore(folder, { env: {}, keyStore: async () => keyStoreInMemory() });
    expect(await lost.read(tokens)).toBeUndefined();
    let isLocked = true;
    const locked = new SignInStore(folder, {
      env: {},
      keyStore: async () => {
        if (isLocked) throw new Error('it is locked');
        return keyStore;
      },
    });
    await expect(locked.read(tokens)).rejects.toThrow('it is locked');
    isLocked = false;
    expect(await locked.read(tokens)).toBe(secret);
  });

  test('of several concurrent processes is sealed with one key', async () => {
    const keyStore = keyStoreInMemory();
    const slowly = {
      ...keyStore,
      read: async (name: string) => {
        await new Promise((resolve) => setImmediate(resolve));
        return keyStore.read(name);
      },
    };
    const urls = Array.from({ length: 5 }, (_, number) => entriesOf(`https://${number}.example.com/`).tokens);
    const stores = urls.map(() => new SignInStore(folder, { env: {}, keyStore: async () => slowly }));
    await Promise.all(stores.map((store, number) => store.write(urls[number] as string, secret)));
    const reader = new SignInStore(folder, { env: {}, keyStore: async () => keyStore });
    for (const entry of urls) expect(await reader.read(entry)).toBe(secret);
  });

  test('rejects an unknown way to store it', () => {
    expect(() => new SignInStore(folder, { env: { MCPX_SIGN_INS: 'vault' }, keyStore: undefined })).toThrow(
      'MCPX_SIGN_INS must be "keychain" or "file", not "vault".',
    );
  });
});
