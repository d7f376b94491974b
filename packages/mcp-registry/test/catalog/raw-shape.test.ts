import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/registry.js';

function withTool(inputSchema: Readonly<Record<string, z.ZodType>>) {
  const registry = createRegistry();
  const received: unknown[] = [];
  registry.register({ name: 'add', description: 'Adds', inputSchema }, (args) => {
    received.push(args);
    return 'done';
  });
  return { registry, received };
}

describe('a raw shape', () => {
  test('is the JSON Schema of an object', () => {
    const { registry } = withTool({ a: z.number(), b: z.number().default(1), c: z.string().optional() });
    expect(registry.get('add')?.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 1 }, c: { type: 'string' } },
      required: ['a'],
    });
  });

  test('gives the handler what each schema makes of its argument', async () => {
    const { registry, received } = withTool({ a: z.string().transform(Number), b: z.number().default(1) });
    await registry.call('add', { a: '2' });
    expect(received).toEqual([{ a: 2, b: 1 }]);
  });

  test('refuses arguments before the handler runs, with their place', async () => {
    const { registry, received } = withTool({
      a: z.object({ n: z.number() }),
      b: z.string().refine(async () => false),
    });
    await expect(registry.call('add', { a: { n: 'x' }, b: '' })).rejects.toMatchObject({
      code: 'invalid-arguments',
      faults: [{ path: '/a/n' }],
    });
    await expect(registry.call('add', { a: { n: 1 }, b: '' })).rejects.toMatchObject({
      code: 'invalid-arguments',
      faults: [{ path: '/b' }],
    });
    expect(received).toEqual([]);
  });

  test('refuses a schema that refers to itself', () => {
    const tree: z.ZodType = z.lazy(() => z.object({ children: z.array(tree) }));
    expect(() => withTool({ tree })).toThrow('The schema of tree refers to itself; wrap all of them: z.object({ … })');
  });

  test('is also the schema of a result', () => {
    const registry = createRegistry();
    registry.register({ name: 'add', description: 'Adds', outputSchema: { sum: z.number() } }, () => ({ sum: 3 }));
    expect(registry.get('add')?.outputSchema).toEqual({
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
    });
  });
});
