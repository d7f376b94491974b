import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as root from '../src/index.js';
import * as load from '../src/load.js';

test('the root entry exports exactly this', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'ConfigError',
    'checkConfig',
    'checkRequirements',
    'expandTemplate',
    'formatIssue',
    'isConfigError',
    'mcpJsonSchema',
    'mcpServersFileSchema',
    'parseConfig',
    'toolsFileSchema',
    'vscodeJsonSchema',
  ]);
});

test('the load entry exports exactly this', () => {
  expect(Object.keys(load).toSorted()).toEqual(['checkFiles', 'loadConfig']);
});

test('nothing outside the load entry knows of a machine', () => {
  const src = fileURLToPath(new URL('../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const impure = files.filter((file) =>
    /'node:|\bprocess\.\w|'\.{1,2}\/load[./]/.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(impure.filter((file) => !/^load[./\\]/.test(file))).toEqual([]);
});
