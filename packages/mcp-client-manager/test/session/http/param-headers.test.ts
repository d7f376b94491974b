import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paramHeaders } from '../../../src/session/http/param-headers.js';
import { startModernHttp } from '../../helpers/modern-http.js';
import { managerOf, textOf } from '../../helpers/servers.js';

const named = (name: string, type = 'string'): object => ({ type, 'x-mcp-header': name });
const inputSchema = {
  type: 'object',
  properties: {
    region: named('Region'),
    limit: named('Limit', 'integer'),
    dry: named('Dry-Run', 'boolean'),
    where: { type: 'object', properties: { city: named('City') } },
    note: { type: 'string' },
  },
};

test.each<[what: string, args: object, headers: object]>([
  [
    'texts, numbers and truth values',
    { region: 'north', limit: 5, dry: false },
    { Region: 'north', Limit: '5', 'Dry-Run': 'false' },
  ],
  ['an argument within another', { where: { city: 'Rome' } }, { City: 'Rome' }],
  ['nothing that is not there', { note: 'x', region: null, where: 'elsewhere' }, {}],
  ['nothing that is no plain value', { region: ['north'], limit: Number.NaN, dry: {} }, {}],
  ['no number that is none any more', { limit: 2 ** 60 }, {}],
  ['what a header cannot hold, packed', { region: 'Zürich' }, { Region: '=?base64?WsO8cmljaA==?=' }],
  [
    'what is empty, or has spaces around it, packed',
    { region: '', where: { city: ' x' } },
    { Region: '=?base64??=', City: '=?base64?IHg=?=' },
  ],
  [
    'what looks as if it were packed, packed',
    { region: '=?base64?eA==?=' },
    { Region: '=?base64?PT9iYXNlNjQ/ZUE9PT89?=' },
  ],
])('headers repeat %s', (_, args, headers) => {
  const prefixed = Object.entries(headers).map(([name, value]) => [`Mcp-Param-${name}`, value]);
  expect(paramHeaders(inputSchema, args)).toEqual(Object.fromEntries(prefixed));
});

test('encodes any text as a valid header, and decodes to the same text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (region) => {
      const header = paramHeaders(inputSchema, { region })['Mcp-Param-Region'] as string;
      expect(new Headers({ x: header }).get('x')).toBe(header);
      const packed = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
      const read = packed === undefined ? header : Buffer.from(packed, 'base64').toString();
      expect(read).toBe(Buffer.from(region).toString());
    }),
  );
});

test('all kinds of calls send the headers that a tool declares', async () => {
  const seen: IncomingHttpHeaders[] = [];
  await using server = await startModernHttp({
    tools: [{ name: 'act', inputSchema }],
    onMessage: (method, request) => {
      if (method === 'tools/call') seen.push(request.headers);
      return false;
    },
  });
  await using manager = managerOf({ name: 'web', url: server.url });
  const web = manager.server('web');
  await web.start();
  const args = { region: 'north', where: { city: 'Rome' } };
  expect(textOf(await web.callTool('act', args))).toBe('done');
  await web.request('tools/call', { name: 'act', arguments: args });
  await web.request('tools/call', { name: 'act', arguments: args }, { inputRequired: 'return' });
  expect(seen).toHaveLength(3);
  for (const headers of seen) expect(headers).toMatchObject({ 'mcp-param-region': 'north', 'mcp-param-city': 'Rome' });
});
