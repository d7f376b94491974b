import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servingWays } from '../helpers/serving-ways.js';
import type { TestClient } from '../helpers/test-client.js';

const ALL = ['cancelled', 'count', 'echo', 'fail', 'grow', 'odd', 'proceed', 'search_mcp_tools', 'trace', 'wait'];

describe.each(servingWays)('$name', ({ connect }) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    expect(client.errors).toEqual([]);
  });

  test('lists its tools unchanged', async () => {
    const tools = await client.listAll();
    expect(tools.map(({ name }) => name)).toEqual(ALL);
    expect(tools.find(({ name }) => name === 'echo')).toEqual({
      name: 'echo',
      title: 'Echo',
      description: 'Gives back what it is given',
      inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-kept': [1] } }, required: ['text'] },
      outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true },
    });
    expect(client.info.version).toMatchObject({ name: 'native', version: '1.2.3' });
    expect(client.info.instructions).toContain('search_mcp_tools');
  });

  test('lists them in pages', async () => {
    const names: string[][] = [];
    let page = await client.listPage();
    while (page.nextCursor !== undefined) {
      names.push(page.tools.map(({ name }) => name));
      page = await client.listPage(page.nextCursor);
    }
    expect([...names, page.tools.map(({ name }) => name)]).toEqual(
      [0, 3, 6, 9].map((from) => ALL.slice(from, from + 3)),
    );
  });

  test('refuses an unknown cursor', async () => {
    await expect(client.listPage('elsewhere')).rejects.toMatchObject({ code: -32602 });
  });

  test('calls a tool and returns its result', async () => {
    expect(await client.call({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      structuredContent: { text: 'hi' },
      content: [{ type: 'text', text: '{"text":"hi"}' }],
    });
    const found = await client.call({ name: 'search_mcp_tools', arguments: { query: 'give back', limit: 1 } });
    expect(found.structuredContent).toMatchObject({ tools: [{ name: 'echo' }] });
    const broken = { name: 'search_mcp_tools', arguments: { query: '(', useRegex: true } };
    expect(await client.call(broken)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid-pattern' } },
    });
  });

  test('returns a failure as a result for the model', async () => {
    expect(await client.call({ name: 'fail' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'it failed as it always does' }],
    });
    expect(await client.call({ name: 'odd' })).toMatchObject({ isError: true });
  });

  test('returns invalid arguments as a result for the model', async () => {
    const result = await client.call({ name: 'echo', arguments: { txt: 'hi' } });
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.stringContaining('text') }] });
  });

  test('reports a forbidden tool as unknown', async () => {
    await using guest = await connect('guest');
    expect((await guest.listAll()).map(({ name }) => name)).toEqual(['echo', 'search_mcp_tools']);
    const outcome = (name: string) => guest.call({ name }).catch((error) => error);
    const [forbidden, unknown] = [await outcome('grow'), await outcome('blow')];
    expect(forbidden).toMatchObject({ code: -32602, message: expect.stringContaining('no tool named "grow"') });
    expect(forbidden.message.replace('grow', 'blow')).toBe(unknown.message);
    expect(forbidden.code).toBe(unknown.code);
  });

  test('passes progress on to a client that requests it', async () => {
    const seen: unknown[] = [];
    await client.call(
      { name: 'count' },
      {
        onprogress: (progress) => {
          seen.push(progress);
          if (progress.progress === 3) void client.call({ name: 'proceed' });
        },
      },
    );
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
  });

  test('passes _meta on, such as what a call is traced by', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { structuredContent } = await client.call({ name: 'trace', _meta: { traceparent } });
    expect(structuredContent).toEqual({ traceparent });
  });

  test('passes a cancellation on', async () => {
    const controller = new AbortController();
    const onprogress = () => controller.abort(new Error('enough'));
    const call = client.call({ name: 'wait' }, { signal: controller.signal, onprogress });
    await expect(call).rejects.toThrow('enough');
    expect(await client.call({ name: 'cancelled' })).toMatchObject({ content: [{ text: 'it was' }] });
  });

  test('notifies of changed tools', async () => {
    const changed = client.nextChange();
    await client.call({ name: 'grow' });
    await changed;
    expect((await client.listAll()).map(({ name }) => name)).toContain('grown');
    expect(await client.call({ name: 'grown' })).toMatchObject({ content: [{ text: 'here' }] });
  });
});
