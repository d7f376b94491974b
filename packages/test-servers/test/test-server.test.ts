import { existsSync } from 'node:fs';
import { type TestServerName, testServer } from '@x/test-servers';
import { expect, test } from 'vitest';

const names: Record<TestServerName, true> = {
  'asks-host': true,
  'asks-over-http': true,
  'changes-tools': true,
  'closes-stdout': true,
  conformance: true,
  'conformance-http': true,
  counter: true,
  'dies-mid-call': true,
  echo: true,
  'ends-subscriptions': true,
  'exits-at-once': true,
  extensions: true,
  'floods-notifications': true,
  'floods-stderr': true,
  'http-echo': true,
  'huge-result': true,
  'ignores-sigterm': true,
  'leaves-grandchild': true,
  'many-pages': true,
  'modern-input-required': true,
  'modern-only': true,
  'named-tools': true,
  'never-initializes': true,
  'refuses-unknown': true,
  'records-effects': true,
  'reports-trace': true,
  'resources-and-prompts': true,
  slow: true,
  'speaks-garbage': true,
  'stops-reading': true,
  structured: true,
  subagents: true,
  tasks: true,
};

test.each(Object.keys(names) as TestServerName[])('%s is there to be run', (name) => {
  const { command, args } = testServer(name, '--flag');
  expect(command).toBe(process.execPath);
  expect(existsSync(args[0] ?? '')).toBe(true);
  expect(args.slice(1)).toEqual(['--flag']);
});
