import type { JsonRpcMessage } from '@x/internal/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamMarks } from '../../../src/session/http/stream-marks.js';

const eventOf = (message: object): Buffer => Buffer.from(`id: 7\nevent: message\ndata: ${JSON.stringify(message)}\n\n`);
const messageIn = (event: Uint8Array): JsonRpcMessage =>
  JSON.parse(
    Buffer.from(event)
      .toString()
      .split('\n')
      .find((line) => line.startsWith('data:'))
      ?.slice('data:'.length) ?? '',
  );

const json = fc.jsonValue({ maxDepth: 2 });
const params = fc.option(fc.oneof(json, fc.record({ _meta: json, data: json })), { nil: undefined });
const message = fc.record({
  jsonrpc: fc.constant('2.0' as const),
  id: fc.option(fc.integer(), { nil: undefined }),
  method: fc.constantFrom('roots/list', 'notifications/message', 'notifications/progress', 'x'),
  params,
});

/** Without params and `_meta` that are empty, which mean the same as none. */
function plain({ params, ...rest }: JsonRpcMessage): unknown {
  if (params === null || typeof params !== 'object' || Array.isArray(params)) return { ...rest, params };
  const { _meta, ...others } = params as { readonly _meta?: unknown };
  const isEmpty = (value: unknown) => value === undefined || JSON.stringify(value) === '{}';
  const kept = isEmpty(_meta) ? others : params;
  return isEmpty(kept) ? rest : { ...rest, params: kept };
}

test('returns a message unchanged, with the request of its stream', () => {
  const marks = new StreamMarks();
  fc.assert(
    fc.property(message, fc.integer(), (sent, requestId) => {
      const marked = messageIn(marks.mark(eventOf(sent), requestId));
      const found = marks.unmark(marked);
      expect([undefined, requestId]).toContain(found);
      expect(plain(marked)).toEqual(plain(JSON.parse(JSON.stringify(sent))));
    }),
  );
});

test('marks server requests and log entries, and keeps the other fields of their events', () => {
  const marks = new StreamMarks();
  for (const sent of [
    { jsonrpc: '2.0', id: 1, method: 'roots/list' },
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x', _meta: { a: 1 } } },
  ]) {
    const event = marks.mark(eventOf(sent), 5);
    expect(Buffer.from(event).toString()).toMatch(/^id: 7\nevent: message\ndata: \{.*\}\n\n$/);
    expect(marks.unmark(messageIn(event))).toBe(5);
  }
});

test('leaves other messages unchanged', () => {
  const marks = new StreamMarks();
  for (const text of ['data: {"method":', 'x', 'data: {"id":1,"result":{"method":"roots/list"}}', 'data: ["method"]']) {
    const event = Buffer.from(`${text}\n\n`);
    expect(marks.mark(event, 1)).toBe(event);
  }
});

test('a server cannot write a mark itself', () => {
  const key = Object.keys(
    (messageIn(new StreamMarks().mark(eventOf({ id: 1, method: 'roots/list' }), 1)).params as { _meta: object })._meta,
  )[0] as string;
  const forged = { jsonrpc: '2.0' as const, method: 'notifications/message', params: { _meta: { [key]: 1 } } };
  expect(new StreamMarks().unmark(forged)).toBeUndefined();
});

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepLog = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${deep(20_000)}}}`;

test('leaves a message unmarked that cannot be written again', () => {
  const event = Buffer.from(`data: ${deepLog}\n\n`);
  expect(new StreamMarks().mark(event, 1)).toBe(event);
});

test('marks the first message after a byte order mark', () => {
  const marks = new StreamMarks();
  const event = Buffer.from('\ufeffdata: {"jsonrpc":"2.0","id":1,"method":"roots/list"}\n\n');
  expect(marks.unmark(messageIn(marks.mark(event, 5)))).toBe(5);
});
