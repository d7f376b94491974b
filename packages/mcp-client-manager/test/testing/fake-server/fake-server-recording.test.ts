import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import { type FakeServer, fakeServer } from '@x/mcp-client-manager/testing';
import { expect, test } from 'vitest';

const call = (id: number, city: string) => ({
  id,
  method: 'tools/call',
  params: { name: 'weather', arguments: { city } },
});
const text = (id: number, words: string) => ({ id, result: { content: [{ type: 'text', text: words }] } });
const lines = [
  [
    'client',
    {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
  ],
  [
    'server',
    {
      id: 0,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'sky', version: '1' } },
    },
  ],
  ['client', { method: 'notifications/initialized' }],
  ['client', { id: 1, method: 'tools/list' }],
  ['server', { id: 1, result: { tools: [{ name: 'weather', inputSchema: { type: 'object' } }] } }],
  ['client', call(2, 'Oslo')],
  ['server', text(2, 'rain')],
  ['client', call(3, 'Oslo')],
  [
    'server',
    {
      id: 8,
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    },
  ],
  ['client', { id: 8, result: { action: 'accept', content: {} } }],
  ['server', text(3, 'sun')],
] as const;

async function recording() {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
  const file = join(folder, 'traffic.jsonl');
  const all = [
    { format: 'mcp-recording', version: 1 },
    ...lines.map(([from, message], at) => ({ at, from, message: { jsonrpc: '2.0', ...message } })),
  ];
  await writeFile(file, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test.each([
  ['stdio', (fake: FakeServer) => fake.stdio()],
  ['in-process', (fake: FakeServer) => fake.inProcess()],
  ['http', (fake: FakeServer) => fake.http()],
] as const)('plays a recording, server requests included (%s)', async (_, spec) => {
  await using here = await recording();
  await using fake = fakeServer({ recording: here.file });
  const asked: unknown[] = [];
  {
    const elicitation = ({ message }: Readonly<Record<string, unknown>>) => {
      asked.push(message);
      return { action: 'decline' };
    };
    await using manager = createClientManager(
      { servers: [{ name: 'sky', ...(await spec(fake)) }] },
      { handlers: { elicitation } },
    );
    const weather = async (city: string) => (await manager.callTool('sky', 'weather', { city })).content;
    expect(await weather('Oslo')).toEqual([{ type: 'text', text: 'rain' }]);
    expect(asked).toEqual([]);
    expect(await weather('Oslo')).toEqual([{ type: 'text', text: 'sun' }]);
    expect(asked).toEqual(['Sure?']);
    await expect(weather('Rome')).rejects.toThrow('The recording has no "tools/call" with');
  }
  expect(fake.calls('weather').map((each) => each.arguments.city)).toEqual(['Oslo', 'Oslo', 'Rome']);
});

test('a recording with other keys, or that cannot be read, is a mistake in the script', async () => {
  await using here = await recording();
  expect(() => fakeServer({ recording: here.file, era: 'legacy' })).toThrow('cannot be combined with script.era');
  expect(() => fakeServer({ recording: `${here.file}.gone` })).toThrow('cannot be played: ENOENT');
  expect(() => fakeServer({ recording: import.meta.filename })).toThrow('Line 1 must be');
});
