import { createRegistry } from '@x/mcp-registry';
import { createListSource, tool } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRegistryHandler, type RegistryHandler } from '../../../src/index.js';
import { modernRequest, postRequest } from '../../helpers/http-requests.js';

let handler: RegistryHandler;
const opened: AsyncDisposable[] = [];
beforeEach(async () => {
  const registry = createRegistry();
  const properties = {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    deep: { type: 'object', properties: { isLast: { type: 'boolean', 'x-mcp-header': 'Last' } } },
  };
  const wanting = tool('wanting', { inputSchema: { type: 'object', properties } });
  await registry.attach(createListSource('git', [wanting])).ready;
  handler = createRegistryHandler(registry, { allowAnonymous: true });
  opened.push(registry, handler);
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function answerTo(params: object, headers: Readonly<Record<string, string>>, method = 'tools/call') {
  const answer = await handler.fetch(postRequest(modernRequest(method, params), headers));
  const { error, result } = (await answer.json()) as { error?: { code: number; message: string }; result?: object };
  return { status: answer.status, code: error?.code, message: error?.message, result };
}

const name = 'mcp__git__wanting';
const standard = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
const args = { region: 'eu', count: 42 };
const without = (header: string) => Object.fromEntries(Object.entries(standard).filter(([key]) => key !== header));

test.each([
  { header: 'mcp-protocol-version', says: 'the required MCP-Protocol-Version header is absent' },
  { header: 'mcp-method', says: 'the required Mcp-Method header is absent' },
  { header: 'mcp-name', says: 'the required Mcp-Name header is absent' },
])('refuses a request without $header', async ({ header, says }) => {
  const { status, code, message } = await answerTo({ name }, without(header));
  expect([status, code]).toEqual([400, -32_020]);
  expect(message).toContain(says);
});

test.each([
  { given: 'other', says: 'the Mcp-Name header names "other"' },
  { given: '=?base64?b?=', says: 'carries an invalid Base64 sentinel value' },
  { given: '=?base64?/w==?=', says: 'carries an invalid Base64 sentinel value' },
])('refuses the name $given', async ({ given, says }) => {
  const { status, code, message } = await answerTo({ name }, { ...standard, 'mcp-name': given });
  expect([status, code]).toEqual([400, -32_020]);
  expect(message).toContain(says);
});

test('refuses a name with a long run of blanks in the time that it takes to read it', async () => {
  const given = `a${' '.repeat(400_000)}b`; // a quadratic search would take minutes
  expect(await answerTo({ name }, { ...standard, 'mcp-name': given })).toMatchObject({ status: 400, code: -32_020 });
});

test('accepts an encoded name', async () => {
  const encoded = `=?base64?${btoa(name)}?=`;
  expect((await answerTo({ name }, { ...standard, 'mcp-name': encoded })).status).toBe(200);
});

test.each([
  { headers: {}, says: 'the body carries region="eu" but the Mcp-Param-Region header is absent' },
  { headers: { 'mcp-param-region': 'eu' }, says: 'the body carries count=42 but the Mcp-Param-Count header is absent' },
  { headers: { 'mcp-param-region': 'us' }, says: 'decodes to "us" but the body carries region="eu"' },
  { headers: { 'mcp-param-region': '=?base64?Z?=' }, says: 'carries an invalid Base64 sentinel value' },
  { headers: { 'mcp-param-region': 'eu', 'mcp-param-count': '0x2a' }, says: 'decodes to "0x2a"' },
])('refuses arguments that the headers $headers do not repeat', async ({ headers, says }) => {
  const { status, code, message } = await answerTo({ name, arguments: args }, { ...standard, ...headers });
  expect([status, code]).toEqual([400, -32_020]);
  expect(message).toContain(says);
});

test.each([
  { given: args, headers: { 'mcp-param-region': '=?base64?ZXU=?=', 'mcp-param-count': '42.0' } },
  { given: { region: null, count: undefined }, headers: {} },
  { given: { deep: { isLast: true } }, headers: { 'mcp-param-last': 'true' } },
  { given: { region: {} }, headers: {} },
])('accepts the arguments $given with the headers $headers', async ({ given, headers }) => {
  const { status, result } = await answerTo({ name, arguments: given }, { ...standard, ...headers });
  expect([status, result]).toEqual([200, expect.objectContaining({ resultType: 'complete' })]);
});

test('has a status for unknown methods', async () => {
  const headers = { ...without('mcp-name'), 'mcp-method': 'no/such' };
  expect(await answerTo({}, headers, 'no/such')).toMatchObject({ status: 404, code: -32_601 });
});
