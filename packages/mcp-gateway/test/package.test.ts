import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as identity from '../src/identity.js';
import * as root from '../src/index.js';
import * as sdkV1 from '../src/sdk-v1.js';

/** The private package is bundled, so its files count as the entry's own. */
const INTERNAL = new URL('../../internal/src/', import.meta.url);

/** Every module that an entry loads: its own files, and the packages they import. */
async function collectImports(entry: URL, seen = new Map<string, string>(), packages = new Set<string>()) {
  const text = await readFile(entry, 'utf8');
  seen.set(entry.href, text);
  for (const [, isType, specifier = ''] of text.matchAll(/^(?:import|export)( type)?\s[^;]*?from '([^']+)';/gm)) {
    if (isType !== undefined) continue;
    const internal = /^@x\/internal\/(.+)$/.exec(specifier)?.[1];
    const file = internal ? new URL(`${internal}.ts`, INTERNAL) : new URL(specifier.replace(/\.js$/, '.ts'), entry);
    if (!internal && !specifier.startsWith('.')) packages.add(specifier);
    else if (!seen.has(file.href)) await collectImports(file, seen, packages);
  }
  return { texts: seen, packages: Array.from(packages).toSorted() };
}

test('only the entries that serve load a protocol library, each its own', async () => {
  const packagesOf = async (entry: string) => (await collectImports(new URL(entry, import.meta.url))).packages;
  expect(await packagesOf('../src/sdk-v1.ts')).toContain('@modelcontextprotocol/sdk/types.js');
  expect((await packagesOf('../src/sdk-v1.ts')).join()).not.toContain('@modelcontextprotocol/server');
  expect((await packagesOf('../src/identity.ts')).join()).not.toContain('@modelcontextprotocol');
  const { packages } = await collectImports(new URL('../src/index.ts', import.meta.url));
  expect(packages).toEqual(
    expect.arrayContaining(['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio']),
  );
  expect(packages.join()).not.toContain('@modelcontextprotocol/sdk');
});

test('what can be imported', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'GatewayError',
    'createGateway',
    'createHttpServer',
    'createRegistryHandler',
    'gatewayCapabilities',
    'isGatewayError',
    'serveRegistry',
    'singleClientCapabilities',
    'toNodeListener',
  ]);
  expect(Object.keys(identity).toSorted()).toEqual(['createJwtVerifier', 'createTokenVerifier']);
  expect(Object.keys(sdkV1)).toEqual(['mountRegistry']);
});

test('an error of another copy of this package is known too', () => {
  const other = Object.assign(new Error('other'), { [Symbol.for('@x/mcp-gateway.error')]: true });
  const own = new root.GatewayError('client-stalled', '');
  expect([other, own, new Error(''), null].map(root.isGatewayError)).toEqual([true, true, false, false]);
});
