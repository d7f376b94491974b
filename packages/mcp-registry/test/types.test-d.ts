import { expectTypeOf, test } from 'vitest';
import type { Registry, RegistryView, RoleRules, SourceTool, ToolCallResult, ToolSource } from '../src/index.js';
import { createRegistry } from '../src/index.js';

test('an object of three lines is a tool source', () => {
  const source = {
    name: 'clock',
    listTools: async () => [{ name: 'now', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'noon' }] }),
  };
  expectTypeOf(source).toExtend<ToolSource>();
});

test('a registry is a view, and a view is what view() gives', () => {
  expectTypeOf<Registry>().toExtend<RegistryView>();
  expectTypeOf(createRegistry().view({ role: 'review' })).toEqualTypeOf<RegistryView>();
  expectTypeOf(createRegistry().view()).toEqualTypeOf<RegistryView>();
  expectTypeOf(createRegistry()).toExtend<AsyncDisposable>();
});

test('rules may say more than the registry reads', () => {
  const rules = [{ role: 'review', allowedTools: ['git.log'], tool: 'editor', origin: { line: 3 } }] as const;
  expectTypeOf(rules).toExtend<RoleRules>();
});

test('a handler may give any JSON, at once or later', () => {
  const registry = createRegistry();
  registry.register({ name: 'a', description: '' }, async (args, { signal }) => {
    expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return { sum: 1 };
  });
  registry.register({ name: 'b', description: '' }, () => 'text');
  expectTypeOf(registry.call('a')).resolves.toEqualTypeOf<ToolCallResult>();
});

test('a source may send keys that nobody knows yet', () => {
  expectTypeOf<{
    name: string;
    inputSchema: { type: string };
    execution: { taskSupport: string };
  }>().toExtend<SourceTool>();
});
