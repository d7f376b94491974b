import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { readMessage } from '../../../src/server/methods/client-messages.js';

const values: Readonly<Record<string, readonly unknown[]>> = {
  jsonrpc: ['2.0', '1.0', 2, undefined],
  id: [undefined, 1, 'a', '', 0, 1.5, 2 ** 60, null, {}],
  method: [undefined, 'ping', 5],
  params: [
    undefined,
    {},
    [],
    null,
    { _meta: {} },
    { _meta: 5 },
    { _meta: { progressToken: 'a' } },
    { _meta: { progressToken: 1.5 } },
    { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'a' } } },
    { _meta: { 'io.modelcontextprotocol/related-task': {} } },
  ],
  result: [undefined, {}, [], 'a', { _meta: {} }, { _meta: 5 }],
  error: [
    undefined,
    { code: 1, message: 'a' },
    { code: 1.5, message: 'a' },
    { code: 1 },
    'a',
    { code: 1, message: 'a', data: 1 },
  ],
  more: [undefined, 1],
};

/** Every message that differs from one of the valid ones in at most two fields. */
function* messages(): Generator<Readonly<Record<string, unknown>>> {
  const valid = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'ping' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'a' } },
  ];
  for (const base of valid) {
    for (const [key, choices] of Object.entries(values)) {
      for (const choice of choices) {
        const once = { ...base, [key]: choice };
        yield parsed(once);
        for (const [other, others] of Object.entries(values))
          for (const each of others) yield parsed({ ...once, [other]: each });
      }
    }
  }
}

/** As it comes from the wire, where nothing is `undefined`. */
function parsed(value: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value));
}

function isValid(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

test('accepts exactly what the schemas of the protocol allow', () => {
  let valid = 0;
  for (const message of messages()) {
    expect([message, readMessage(message) !== undefined]).toEqual([message, isValid(message)]);
    if (isValid(message)) valid++;
  }
  expect(valid).toBeGreaterThan(100);
});

test.each([undefined, null, 5, 'a', [], [{ jsonrpc: '2.0', method: 'ping' }]])('rejects %j', (value) => {
  expect(readMessage(value)).toBeUndefined();
});
