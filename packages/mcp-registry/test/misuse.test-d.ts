import { test } from 'vitest';
import { z } from 'zod';
import { createRegistry, type Registry } from '../src/index.js';

declare const registry: Registry;

test('types refuse what is likely to be a mistake', () => {
  // @ts-expect-error a misspelt option
  createRegistry({ role: [] });
  // @ts-expect-error rules by role
  createRegistry({ roles: { reader: ['files'] } });
  // @ts-expect-error a misspelt field of a rule
  createRegistry({ roles: [{ role: 'a', allowedTools: [], isDefualt: true }] });
  // @ts-expect-error the log in place of its `record`
  createRegistry({ audit: { record: () => undefined } });
  // @ts-expect-error a role by name
  registry.view('reader');
  // @ts-expect-error a role that may be missing
  registry.view({ role: undefined });
  // @ts-expect-error a text
  void registry.search('read a file');
  // @ts-expect-error JSON text
  void registry.call('add', '{}');
  // @ts-expect-error a signal in place of the options
  void registry.call('add', {}, new AbortController().signal);
  // @ts-expect-error a misspelt option
  void registry.call('add', {}, { timeout: 5 });
  // @ts-expect-error a promise of a source
  registry.attach(Promise.resolve({ name: 'files', listTools: () => [], callTool: async () => ({ content: [] }) }));
  // @ts-expect-error the arguments of the SDK
  registry.register('add', { description: 'Adds' }, () => '');
  // @ts-expect-error another name of the schema
  registry.register({ name: 'add', description: 'Adds', parameters: {} }, () => '');
  // @ts-expect-error no event has this name
  registry.events.on('tool-changed', () => undefined);
  // @ts-expect-error a listener in place of the options
  registry.changes(() => undefined);
});

test('a raw shape types the arguments', () => {
  registry.register(
    { name: 'add', description: 'Adds', inputSchema: { a: z.number(), b: z.number().default(1) } },
    ({ a, b }) => a + b,
  );
  registry.register({ name: 'add', description: 'Adds', inputSchema: { a: z.number() } }, ({ a }) => {
    // @ts-expect-error a number
    const text: string = a;
    return text;
  });
});
