import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as formats from '../src/formats.js';
import * as root from '../src/index.js';
import * as node from '../src/node.js';

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

test('the root entry needs nothing that only one runtime has', async () => {
  const { texts, packages } = await collectImports(new URL('../src/index.ts', import.meta.url));
  expect(packages).toEqual(['@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'diff', 're2js']);
  expect(texts.size).toBeGreaterThan(20);
  for (const [file, text] of texts)
    expect(text, file).not.toMatch(/\b(?:process|Buffer|global|require|setImmediate)\b[.(]/);
});

test('no entry loads a protocol library', async () => {
  for (const entry of ['index', 'node', 'formats']) {
    const { packages } = await collectImports(new URL(`../src/${entry}.ts`, import.meta.url));
    expect(packages.join()).not.toContain('@modelcontextprotocol');
  }
});

test('what can be imported', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'RegistryError',
    'applyPinChanges',
    'compileRole',
    'createConstantSurface',
    'createMemoryPinStore',
    'createRegistry',
    'isRegistryError',
    'toTerminalText',
  ]);
  expect(Object.keys(node).toSorted()).toEqual(['createAuditLog', 'createPinFile']);
  expect(Object.keys(formats).toSorted()).toEqual([
    'callFromAnthropic',
    'callFromOpenAI',
    'callFromOpenAIResponses',
    'toAISDKTools',
    'toAnthropicTools',
    'toOpenAIResponsesTools',
    'toOpenAITools',
  ]);
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
