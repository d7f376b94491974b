import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as root from '../src/index.js';
import * as server from '../src/server.js';

/** Every module that an entry loads: its own files, and the packages they import. */
async function collectImports(entry: URL, seen = new Map<string, string>(), packages = new Set<string>()) {
  const text = await readFile(entry, 'utf8');
  seen.set(entry.href, text);
  for (const [, isType, specifier = ''] of text.matchAll(/^(?:import|export)( type)?\s[^;]*?from '([^']+)';/gm)) {
    if (isType !== undefined) continue;
    const file = new URL(specifier.replace(/\.js$/, '.ts'), entry);
    if (!specifier.startsWith('.')) packages.add(specifier);
    else if (!seen.has(file.href)) await collectImports(file, seen, packages);
  }
  return { texts: seen, packages: Array.from(packages).toSorted() };
}

test('the root entry needs nothing that only one runtime has', async () => {
  const { texts, packages } = await collectImports(new URL('../src/index.ts', import.meta.url));
  expect(packages).toEqual(['re2js']);
  expect(texts.size).toBeGreaterThan(20);
  for (const [file, text] of texts)
    expect(text, file).not.toMatch(/\b(?:process|Buffer|global|require|setImmediate)\b[.(]/);
});

test('only the server entry loads the protocol library', async () => {
  const { packages } = await collectImports(new URL('../src/server.ts', import.meta.url));
  expect(packages).toEqual(['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio']);
});

test('what can be imported', () => {
  expect(Object.keys(root).toSorted()).toEqual(['RegistryError', 'compileRole', 'createRegistry', 'isRegistryError']);
  expect(Object.keys(server)).toEqual(['serveRegistry']);
});

test('an error of another copy of this package is known too', () => {
  const other = Object.assign(new Error('other'), { [Symbol.for('@x/mcp-registry.error')]: true });
  expect([other, new root.RegistryError('closed', ''), new Error(''), null].map(root.isRegistryError)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
