import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as edit from '../src/edit.js';
import * as hostSync from '../src/index.js';

test('the package exports exactly these names', () => {
  expect(Object.keys(hostSync).toSorted()).toEqual([
    'HostFileError',
    'applySync',
    'currentPlace',
    'detectHosts',
    'gatewayMarker',
    'hostPaths',
    'isGatewayServer',
    'isHostFileError',
    'listHosts',
    'planSync',
    'readHost',
    'readHostDocuments',
    'readOwnership',
    'syncHosts',
  ]);
});

test('the entry for edits exports exactly these names', () => {
  expect(Object.keys(edit).toSorted()).toEqual([
    'HostFileError',
    'editEntries',
    'isHostFileError',
    'putRecordBack',
    'readEntries',
    'readKeys',
    'readText',
    'textDiff',
    'writeText',
  ]);
});

const src = fileURLToPath(new URL('../src/', import.meta.url));
const filesIn = (folder: string) =>
  readdirSync(new URL(`../src/${folder}`, import.meta.url), { encoding: 'utf8' }).map((name) => `${folder}/${name}`);

describe('planning does not load modules that access the machine', () => {
  test.each([
    ...['adapters', 'variables', 'entry'].flatMap(filesIn),
    ...filesIn('sync').filter((file) => !/(apply-file|apply-sync|sync-hosts)\.ts$/.test(file)),
  ])('%s', (file) => {
    const text = readFileSync(`${src}${file}`, 'utf8');
    const imports = [...text.matchAll(/from '(node:[^']+)'/g)].map(([, name]) => name);
    expect(imports.filter((name) => name !== 'node:crypto')).toEqual([]);
    expect(text).not.toMatch(/\bprocess\./);
  });
});
