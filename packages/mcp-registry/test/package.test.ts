import { collectImports } from '@x/test-servers';
import { expect, test } from 'vitest';
import * as audit from '../src/audit.js';
import * as code from '../src/code.js';
import * as formats from '../src/formats.js';
import * as root from '../src/index.js';
import * as node from '../src/node.js';
import * as roles from '../src/roles.js';
import * as search from '../src/search.js';
import * as sources from '../src/sources.js';
import * as trust from '../src/trust.js';
import * as typescript from '../src/typescript.js';

/** The modules that an entry loads at once, or with `late`, ever. */
const importsOf = (entry: string, options: { readonly late?: boolean } = {}) =>
  collectImports(
    new URL(`../src/${entry}.ts`, import.meta.url),
    new URL('../../internal/src/', import.meta.url),
    options,
  );

test('the root entry uses no API of a single runtime', async () => {
  const { texts, packages } = await importsOf('index', { late: true });
  expect(packages).toEqual([
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
    'diff/lib/diff/character.js',
    'diff/lib/patch/create.js',
    're2js',
  ]);
  expect(texts.size).toBeGreaterThan(20);
  for (const [file, text] of texts) {
    const code = text.replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, ''); // a comment may end with "process."
    expect(code, file).not.toMatch(/\b(?:process|Buffer|global|require|setImmediate)\b[.(]/);
  }
});

test('the root entry loads neither the pattern engine nor the search before they are used', async () => {
  const { texts, packages } = await importsOf('index');
  expect(packages).not.toContain('re2js');
  const late = /\/(?:live-search|keyword-index|json-schema|operator-reports|scan-tools|tool-diff)\.ts$/;
  expect(Array.from(texts.keys()).filter((file) => late.test(file))).toEqual([]);
});

test('no entry loads a protocol library', async () => {
  for (const entry of [
    'index',
    'node',
    'formats',
    'roles',
    'audit',
    'trust',
    'typescript',
    'interceptors',
    'sources',
    'search',
    'code',
  ]) {
    const { packages } = await importsOf(entry, { late: true });
    expect(packages.join()).not.toContain('@modelcontextprotocol');
  }
});

test('what can be imported', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'RegistryError',
    'createConstantSurface',
    'createRegistry',
    'isRegistryError',
    'preload',
  ]);
  expect([audit, search, sources].flatMap(Object.keys)).toEqual([]);
  expect(Object.keys(trust).toSorted()).toEqual(['applyPinChanges', 'createMemoryPinStore', 'toTerminalText']);
  expect(Object.keys(roles)).toEqual(['compileRole']);
  expect(Object.keys(code)).toEqual(['openCodeRunner']);
  expect(Object.keys(typescript)).toEqual(['toTypeScript']);
  expect(Object.keys(node).toSorted()).toEqual(['createAuditLog', 'createPinFile']);
  expect(Object.keys(formats).toSorted()).toEqual([
    'aiSdk',
    'anthropic',
    'google',
    'langchain',
    'openaiAgents',
    'openaiChat',
    'openaiResponses',
  ]);
});

test('an error of another copy of this package is recognized', () => {
  const other = Object.assign(new Error('other'), { [Symbol.for('@x/mcp-registry.error')]: true });
  expect([other, new root.RegistryError('closed', ''), new Error(''), null].map(root.isRegistryError)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
