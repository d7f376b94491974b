import type { ToolCallResult } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { toToolResult } from '../src/tool-result.js';

const png = 'iVBORw0KGgo=';
const mixed: ToolCallResult = {
  content: [
    { type: 'text', text: 'two files' },
    { type: 'image', data: png, mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'embedded' } },
    { type: 'resource', resource: { uri: 'file:///a.png', blob: 'BBBB', mimeType: 'image/png' } },
    { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
    JSON.parse('{ "type": "of-tomorrow", "text": 7 }'),
  ],
};

test('text, of blocks and of embedded resources', () => {
  expect(toToolResult(mixed).text()).toBe('two files\nembedded');
  expect(toToolResult({ content: [] }).text()).toBe('');
  expect(toToolResult({ content: [], structuredContent: { sum: 3 } }).text()).toBe('{"sum":3}');
});

test('JSON: structured content first, else the text', () => {
  const content = [{ type: 'text', text: '{"sum": 2}' }] as const;
  expect(toToolResult({ content }).json()).toEqual({ sum: 2 });
  expect(toToolResult({ content, structuredContent: { sum: 3 } }).json<{ sum: number }>().sum).toBe(3);
  expect(() => toToolResult(mixed).json()).toThrow(
    'The result is not JSON; it begins with "two files\\nembedded". Use text() for it',
  );
});

test('images, of blocks and of embedded resources', () => {
  expect(toToolResult(mixed).images()).toEqual([
    { data: png, mimeType: 'image/png' },
    { data: 'BBBB', mimeType: 'image/png' },
  ]);
});

test('copies and JSON contain only what the server sent', () => {
  const result = toToolResult(mixed);
  expect(JSON.parse(JSON.stringify(result))).toEqual(mixed);
  expect(Object.keys({ ...result })).toEqual(['content']);
});

test('no key of a server replaces a method', () => {
  const sent = JSON.parse('{"content":[{"type":"text","text":"x"}],"text":"evil","json":1,"__proto__":{"images":1}}');
  const result = toToolResult(sent);
  expect([result.text(), result.images()]).toEqual(['x', []]);
  expect(() => result.json()).toThrow('The result is not JSON');
});
