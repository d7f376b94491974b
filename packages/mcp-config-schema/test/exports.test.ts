import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as consent from '../src/consent.js';
import * as extension from '../src/extension.js';
import * as root from '../src/index.js';
import * as load from '../src/load.js';
import * as report from '../src/report.js';
import * as secrets from '../src/secrets.js';
import * as templates from '../src/templates.js';

test('the root entry exports exactly these names', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'ConfigError',
    'checkConfig',
    'checkRequirements',
    'createRedactor',
    'formatIssue',
    'isConfigError',
    'parseConfig',
  ]);
});

test('the report entry exports exactly these names', () => {
  expect(Object.keys(report).toSorted()).toEqual(['issuesToJson', 'toSarif']);
});

test('the templates entry exports exactly these names', () => {
  expect(Object.keys(templates).toSorted()).toEqual([
    'escapeTemplate',
    'expandTemplate',
    'keepVariables',
    'parseTemplate',
  ]);
});

test('the load entry exports exactly these names', () => {
  expect(Object.keys(load).toSorted()).toEqual([
    'checkFiles',
    'isPlanted',
    'loadConfig',
    'userConfigDirectory',
    'userStateDirectory',
    'watchConfig',
  ]);
});

test('the consent entry exports exactly these names', () => {
  expect(Object.keys(consent).toSorted()).toEqual([
    'createConsentGate',
    'createConsentStore',
    'entriesOf',
    'inRealDirectories',
    'launchesToConfirm',
    'shownText',
    'shownWord',
  ]);
});

test('the extension entry exports exactly these names', () => {
  expect(Object.keys(extension).toSorted()).toEqual([
    'checkExtension',
    'pathsToFind',
    'resolveExtension',
    'resolveLaunch',
  ]);
});

test('the secrets entry exports exactly these names', () => {
  expect(Object.keys(secrets).toSorted()).toEqual([
    'ConfigError',
    'checkSecrets',
    'commandSecret',
    'createSecretLookup',
    'environmentSecret',
    'fileSecret',
    'isConfigError',
    'keychainSecret',
    'resolveSecrets',
  ]);
});

test('the root entry imports no module that accesses the machine', () => {
  const reached = filesReachedFrom(fileURLToPath(new URL('../src/index.ts', import.meta.url)));
  expect(reached.size).toBeGreaterThan(20);
  const impure = [...reached].filter(([, text]) => /'node:|\bprocess\.\w/.test(text)).map(([file]) => file);
  expect(impure).toEqual([]);
});

/** Texts of a source file and of all its imports from this package, by path. */
function filesReachedFrom(entry: string, reached = new Map<string, string>()): ReadonlyMap<string, string> {
  if (reached.has(entry)) return reached;
  const text = readFileSync(entry, 'utf8');
  reached.set(entry, text);
  for (const [, path = ''] of text.matchAll(/\b(?:from|import) ?\(?'(\.[^']*)\.js'/g)) {
    filesReachedFrom(join(dirname(entry), `${path}.ts`), reached);
  }
  return reached;
}
