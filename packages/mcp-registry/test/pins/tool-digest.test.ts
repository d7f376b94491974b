import type { SourceTool } from '@x/internal/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolDigest } from '../../src/pins/pinned-definition.js';

const read: SourceTool = {
  name: 'read',
  title: 'Read',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, head: { type: 'integer' } } },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

describe('the digest of a tool', () => {
  test('is that of SHA-256 over its canonical definition', () => {
    // printf '%s' '{"inputSchema":{"type":"object"},"name":"a"}' | sha256sum
    expect(toolDigest({ name: 'a', inputSchema: { type: 'object' } })).toBe(
      'sha256:60d4353e9a5499b483d09f13d9e28060e70f34edf787bb7040ba30bd390f85af',
    );
  });

  test.each<[string, Partial<SourceTool>]>([
    ['name', { name: 'read2' }],
    ['title', { title: 'read' }],
    ['description', { description: 'Reads a file.' }],
    ['description, by a character that does not show', { description: 'Reads a file\u200b' }],
    ['description, by one more space', { description: 'Reads  a file' }],
    ['description, by its absence', { description: undefined }],
    ['input schema', { inputSchema: { type: 'object', properties: { path: { type: 'string', description: '!' } } } }],
    ['order of a list in the schema', { inputSchema: { ...read.inputSchema, required: ['path', 'head'] } }],
    ['output schema', { outputSchema: {} }],
    ['annotations', { annotations: { readOnlyHint: false } }],
  ])('changes with the %s', (_field, change) => {
    expect(toolDigest({ ...read, ...change })).not.toBe(toolDigest(read));
  });

  test.each<[string, Partial<SourceTool>]>([
    ['icons', { icons: [{ src: 'data:,' }] }],
    ['_meta', { _meta: { at: 1 } }],
    ['keys that the protocol does not know', { 'x-other': 1 }],
  ])('does not change with %s', (_field, change) => {
    expect(toolDigest({ ...read, ...change })).toBe(toolDigest(read));
  });

  test('is the same for any order of keys and white space', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 9 }), (schema, indent) => {
        const tool = { ...read, inputSchema: { type: 'object', schema } };
        const sent = JSON.stringify(reversed(tool), null, indent);
        expect(toolDigest(JSON.parse(sent))).toBe(toolDigest(JSON.parse(JSON.stringify(tool))));
      }),
    );
  });

  test('differs for any different text', () => {
    const anyPlace = fc.constantFrom('title', 'description', 'name');
    fc.assert(
      fc.property(anyPlace, fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (place, one, other) => {
        fc.pre(one !== other);
        expect(toolDigest({ ...read, [place]: one })).not.toBe(toolDigest({ ...read, [place]: other }));
        const schema = (text: string) => ({ type: 'object', properties: { a: { description: text } } });
        const [left, right] = [one, other].map((text) => toolDigest({ ...read, inputSchema: schema(text) }));
        expect(left).not.toBe(right);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
