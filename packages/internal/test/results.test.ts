import { expect, test } from 'vitest';
import { isToolResult, readToolResult } from '../src/results.js';

const base64 = 'AAAA';
const sound = [
  {
    type: 'text',
    text: '',
    annotations: { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-01' },
  },
  { type: 'image', data: base64, mimeType: 'image/png', _meta: { a: 1 } },
  { type: 'audio', data: base64, mimeType: 'audio/wav', mine: 1 },
  { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x', mine: 1 } },
  { type: 'resource', resource: { uri: 'a:b', blob: base64 } },
  { type: 'resource_link', uri: 'a:b', name: 'b', title: 'B', description: '', mimeType: 'a/b', size: 1, icons: [] },
  { type: 'hologram', text: 7 },
  { type: 'constructor' },
];

test('a sound result stays the same object', () => {
  for (const content of [sound, []]) {
    const result = { content, structuredContent: 1, isError: false, _meta: {}, mine: 1 };
    expect(isToolResult(result)).toBe(true);
    expect(readToolResult(result)).toBe(result);
  }
});

test.each([
  undefined,
  null,
  'text',
  [],
  {},
  { content: {} },
  ...[
    null,
    [],
    {},
    { type: 7 },
    { type: 'text' },
    { type: 'text', text: null },
    { type: 'image', data: base64 },
    { type: 'audio', mimeType: 'audio/wav' },
    { type: 'resource' },
    { type: 'resource', resource: null },
    { type: 'resource', resource: { text: 'x' } },
    { type: 'resource_link', uri: 'a:b' },
  ].map((block) => ({ content: [{ type: 'text', text: 'sound' }, block] })),
])('is no result: %j', (value) => {
  expect(isToolResult(value)).toBe(false);
  expect(readToolResult(value)).toBeUndefined();
});

test.each([
  [{ annotations: null }, {}],
  [{ annotations: { audience: 'user' } }, { annotations: {} }],
  [{ annotations: { audience: ['nobody'], mine: 1 } }, { annotations: { mine: 1 } }],
  [{ annotations: { priority: '1', lastModified: 1 } }, { annotations: {} }],
  [{ _meta: [] }, {}],
  [
    { _meta: { text: 7 }, mine: null },
    { _meta: { text: 7 }, mine: null },
  ],
])('of %j a block keeps %j, and the given one stays as it is', (malformed, kept) => {
  const given = { content: [{ type: 'text', text: 'x', ...malformed }], mine: 1 };
  const before = structuredClone(given);
  expect(readToolResult(given)).toStrictEqual({ content: [{ type: 'text', text: 'x', ...kept }], mine: 1 });
  expect(given).toEqual(before);
});

test('malformed fields of resources and links are left out', () => {
  const content = [
    { type: 'resource', resource: { uri: 'a:b', mimeType: null, text: 7, blob: base64, _meta: 1, mine: 1 } },
    { type: 'resource_link', uri: 'a:b', name: 'b', title: 7, size: '1', icons: {}, mine: 1 },
  ];
  expect(readToolResult({ content })?.content).toStrictEqual([
    { type: 'resource', resource: { uri: 'a:b', blob: base64, mine: 1 } },
    { type: 'resource_link', uri: 'a:b', name: 'b', mine: 1 },
  ]);
});
