import { collectImports } from '@x/test-servers';
import { expect, test } from 'vitest';
import * as formats from '../src/formats.js';
import * as root from '../src/index.js';
import * as node from '../src/node.js';

/** The modules that an entry loads. */
const importsOf = (entry: string) =>
  collectImports(new URL(`../src/${entry}.ts`, import.meta.url), new URL('../../internal/src/', import.meta.url));

test('the root entry needs nothing that only one runtime has', async () => {
  const { texts, packages } = await importsOf('index');
  expect(packages).toEqual(['@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'diff', 're2js']);
  expect(texts.size).toBeGreaterThan(20);
  for (const [file, text] of texts) {
    const code = text.replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, ''); // a comment may end with "process."
    expect(code, file).not.toMatch(/\b(?:process|Buffer|global|require|setImmediate)\b[.(]/);
  }
});

test('no entry loads a protocol library', async () => {
  for (const entry of ['index', 'node', 'formats']) {
    const { packages } = await importsOf(entry);
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
