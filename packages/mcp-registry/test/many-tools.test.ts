import type { ToolSource } from '@x/internal/contracts';
import { textOf, textResult, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { createRegistry } from '../src/registry.js';
import { nextChange } from './helpers/next-event.js';

const COUNT = 50_000;

function largeSource(name: string, count: number): ToolSource & { announce: (tools?: readonly unknown[]) => void } {
  let tools: readonly unknown[] = Array.from({ length: count }, (_, index) => tool(`tool_${index}`));
  let listener = () => {};
  return {
    name,
    listTools: () => tools as never,
    callTool: async (own) => textResult(`${name} ran ${own}`),
    onToolsChanged(added) {
      listener = added;
      return { [Symbol.dispose]: () => {} };
    },
    announce(next = tools) {
      tools = next;
      listener();
    },
  };
}

test('50 000 tools of one server are listed without blocking other work', async () => {
  const registry = createRegistry();
  registry.register({ name: 'clock', description: 'Tells the time' }, () => 'noon');
  const attachment = registry.attach(largeSource('large', COUNT));
  let answered = 0;
  let isReady = false;
  const ready = attachment.ready.then(() => (isReady = true));
  while (!isReady) {
    expect(textOf(await registry.call('clock'))).toBe('noon');
    answered++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ready;
  expect(answered).toBeGreaterThan(5);
  expect(registry.list()).toHaveLength(COUNT + 2);
  expect(textOf(await registry.call('mcp__large__tool_4711'))).toBe('large ran tool_4711');
  expect(registry.get('mcp__large__tool_50000')).toBeUndefined();
});

test('a change of one of 50 000 tools keeps the objects of all others', async () => {
  const registry = createRegistry();
  const source = largeSource('large', COUNT);
  await registry.attach(source).ready;
  const before = new Map(registry.list().map((view) => [view.name, view]));
  const change = nextChange(registry);
  source.announce(
    Array.from({ length: COUNT }, (_, index) => tool(`tool_${index}`, index === 7 ? { description: 'other' } : {})),
  );
  expect(await change).toMatchObject({ added: [], removed: [], changed: ['mcp__large__tool_7'] });
  expect(registry.list().filter((view) => before.get(view.name) !== view)).toMatchObject([{ description: 'other' }]);
});

test('a source that is detached during its listing leaves nothing behind', async () => {
  const registry = createRegistry();
  const attachment = registry.attach(largeSource('large', COUNT));
  attachment[Symbol.dispose]();
  await attachment.ready;
  expect(registry.list()).toHaveLength(1);
  expect(await registry.diagnostics()).toEqual([]);
});
