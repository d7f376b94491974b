import type { CallToolOptions } from '@x/internal/contracts';
import { createListSource, tool } from '@x/test-servers';
import { jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { type AnthropicTool, aiSdk, anthropic, openaiResponses } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';
import type { RegistryView } from '../../src/views/view.js';
import { nextChange } from '../helpers/next-event.js';

const SYSTEM = 'You help with files.';
const SEARCH = 'search_mcp_tools';

/** A part of a search's output in the AI SDK. */
interface ToolReference {
  readonly providerOptions: { readonly anthropic: { readonly toolName: string } };
}

/** One conversation by one API, as far as tools go. */
interface Conversation {
  /** The request up to the messages, as the model sees it. */
  prompt(): string;
  /** The request up to the messages, as it is sent. */
  request(): unknown;
  /** The names of the found tools. */
  search(query: string): Promise<readonly string[]>;
  /** Why a search found nothing, if the API has a place for it. */
  miss?(query: string): Promise<string>;
  /** The arguments of a tool, as far as the model knows them. */
  argumentsOf(name: string): unknown;
  call(name: string, args: object, options?: CallToolOptions): Promise<string>;
  /** With the messages of this one, in another process. */
  resumed(): Conversation;
}

function byAnthropic(view: RegistryView, messages: unknown[] = []): Conversation {
  const api = anthropic(view, { defer: true });
  api.resume(messages);
  const run = async (name: string, input: object, options?: CallToolOptions) => {
    const result = await api.run({ id: `call_${messages.length}`, name, input }, options);
    messages.push({ role: 'user', content: [result] });
    return result.content;
  };
  const defined = (tools: readonly AnthropicTool[]) => ({ system: SYSTEM, tools });
  return {
    prompt: () => JSON.stringify(defined(api.tools.filter((each) => each.defer_loading !== true))),
    request: () => defined(api.tools),
    async search(query) {
      const content = await run(SEARCH, { query });
      return content.flatMap((block) => (block.type === 'tool_reference' ? [block.tool_name] : []));
    },
    miss: async (query) => JSON.stringify(await run(SEARCH, { query })),
    argumentsOf: (name) => api.tools.find((each) => each.name === name)?.input_schema.properties,
    call: async (name, args, options) => JSON.stringify(await run(name, args, options)),
    resumed: () => byAnthropic(view, JSON.parse(JSON.stringify(messages))),
  };
}

function byOpenAI(view: RegistryView, input: Record<string, unknown>[] = []): Conversation {
  const api = openaiResponses(view, { defer: true });
  const request = () => ({ instructions: SYSTEM, tools: api.tools });
  const loaded = () =>
    input.flatMap(({ tools = [] }) => tools as { name: string; parameters: { properties: unknown } }[]);
  return {
    prompt: () => JSON.stringify(request()),
    request,
    async search(query) {
      const call_id = `call_${input.length}`;
      const item = await api.run({ type: 'tool_search_call', call_id, arguments: { query } });
      input.push({ ...item });
      return 'tools' in item ? item.tools.map(({ name }) => name) : [];
    },
    argumentsOf: (name) => loaded().findLast((each) => each.name === name)?.parameters.properties,
    async call(name, args, options) {
      const call = { call_id: `call_${input.length}`, name, arguments: JSON.stringify(args) };
      const item = await api.run(call, options);
      input.push({ ...item });
      return JSON.stringify(item);
    },
    resumed: () => byOpenAI(view, JSON.parse(JSON.stringify(input))),
  };
}

function byAISDK(provider: 'anthropic' | 'openai') {
  return function open(view: RegistryView, messages: unknown[] = []): Conversation {
    const api = aiSdk(view, { jsonSchema, defer: provider });
    api.resume(messages);
    const run = async (toolName: string, input: object, options?: CallToolOptions) => {
      const part = await api.run({ toolCallId: `call_${messages.length}`, toolName, input }, options);
      messages.push({ role: 'tool', content: [part] });
      return part.output;
    };
    const isShown = ([, { providerOptions }]: [string, { providerOptions?: unknown }]) => providerOptions === undefined;
    const inPrompt = () => Object.entries(api.tools).filter((entry) => isShown(entry as never));
    const inRequest = () => (provider === 'openai' ? inPrompt() : Object.entries(api.tools));
    const searchFor = (query: string) => run(SEARCH, provider === 'openai' ? { arguments: { query } } : { query });
    return {
      prompt: () => JSON.stringify({ system: SYSTEM, tools: inPrompt() }),
      request: () => ({ system: SYSTEM, tools: inRequest() }),
      async search(query) {
        const output = await searchFor(query);
        if (output.type === 'json') return output.value.tools.map(({ name }) => String(name));
        const parts: readonly ToolReference[] = output.type === 'content' ? output.value : [];
        return parts.map(({ providerOptions }) => providerOptions.anthropic.toolName);
      },
      ...(provider === 'openai' ? {} : { miss: async (query) => JSON.stringify(await searchFor(query)) }),
      argumentsOf: (name) =>
        (Object(api.tools[name]?.inputSchema) as { jsonSchema?: { properties: unknown } }).jsonSchema?.properties,
      call: async (name, args, options) => JSON.stringify(await run(name, args, options)),
      resumed: () => open(view, JSON.parse(JSON.stringify(messages))),
    };
  };
}

const apis = [
  { api: 'anthropic', open: byAnthropic },
  { api: 'openaiResponses', open: byOpenAI },
  { api: 'aiSdk with Anthropic', open: byAISDK('anthropic') },
  { api: 'aiSdk with OpenAI', open: byAISDK('openai') },
];

const KINDS = [
  'invoice',
  'picture',
  'ticket',
  'calendar',
  'branch',
  'customer',
  'message',
  'sensor',
  'parcel',
  'recipe',
];

/** A tool as servers have them: about 500 characters. */
function typicalTool(index: number, more: Record<string, unknown> = {}) {
  const kind = KINDS[index % KINDS.length];
  return tool(`update_${kind}_${index}`, {
    description: `Updates the ${kind} of shelf ${index}. Returns the ${kind} as it is after the update.`,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: `Identifier of the ${kind}` },
        title: { type: 'string', description: 'New title; empty to keep it' },
        count: { type: 'integer', minimum: 0, description: 'How many there are' },
      },
      required: ['id'],
    },
    ...more,
  });
}

async function registryOf(count: number) {
  const registry = createRegistry({
    roles: [{ role: 'reader', allowedTools: ['shelf'], deniedTools: ['shelf.update_invoice_*'] }],
  });
  const source = createListSource(
    'shelf',
    Array.from({ length: count }, (_, index) => typicalTool(index)),
  );
  await registry.attach(source).ready;
  return { registry, source };
}

describe.each(apis)('deferred tools by $api', ({ open }) => {
  test('leave the beginning of the prompt equal over 100 turns while tools come and go', async () => {
    const { registry, source } = await registryOf(20);
    const conversation = open(registry);
    const first = conversation.prompt();
    expect(first).toContain('Finds tools by what they do');
    let before: readonly string[] = [];
    for (let turn = 0; turn < 100; turn++) {
      const change = nextChange(registry);
      source.offer(Array.from({ length: 20 }, (_, index) => typicalTool(turn + 1 + index)));
      await change;
      const found = await conversation.search(`update ${KINDS[turn % KINDS.length]}`);
      expect(found.length).toBeGreaterThan(0);
      await conversation.call(String(found[0]), { id: 'a' });
      expect(conversation.prompt()).toBe(first);
      const names = namesIn(conversation.request());
      expect(names.slice(0, before.length)).toEqual(before);
      before = names.filter((name) => name === SEARCH || before.includes(name));
    }
  });

  test('are at most 3 % of the definitions at 1 000 tools', async () => {
    const { registry } = await registryOf(1_000);
    const all = JSON.stringify(anthropic(registry).tools);
    expect(JSON.parse(all)).toHaveLength(1_001);
    expect(open(registry).prompt().length).toBeLessThan(all.length * 0.03);
  });

  test('are found by the search of the registry, and called with their arguments', async () => {
    const { registry, source } = await registryOf(50);
    const conversation = open(registry);
    const { tools } = await registry.search({ query: 'update the calendar', limit: 6 });
    const found = await conversation.search('update the calendar');
    expect(found).toEqual(
      tools
        .map(({ name }) => name)
        .filter((name) => name !== SEARCH)
        .slice(0, 5),
    );
    expect(conversation.argumentsOf(String(found[0]))).toMatchObject({ id: { type: 'string' }, count: { minimum: 0 } });
    expect(await conversation.call(String(found[0]), { id: 'a' })).toContain('shelf ran update_calendar');
    expect(source.calls.at(-1)?.args).toEqual({ id: 'a' });
    expect(await conversation.call(String(found[0]), { id: 1 })).toMatch(/id.*string/);
  });

  test('never include a tool that the role may not use', async () => {
    const { registry } = await registryOf(50);
    const conversation = open(registry.view({ role: 'reader' }));
    const found = await conversation.search('update invoice');
    expect(found).toHaveLength(5);
    expect(found.filter((name) => name.includes('invoice'))).toEqual([]);
    expect(JSON.stringify(conversation.request())).not.toContain('invoice');
    expect(await conversation.call('mcp__shelf__update_invoice_0', { id: 'a' })).toContain('no tool');
  });

  test('of which one disappears say so when it is called', async () => {
    const { registry, source } = await registryOf(20);
    const conversation = open(registry);
    const [name = ''] = await conversation.search('update parcel');
    const change = nextChange(registry);
    source.offer([typicalTool(3)]);
    await change;
    expect(await conversation.call(name, { id: 'a' })).toMatch(/no tool/i);
    expect(JSON.stringify(conversation.request())).not.toContain('shelf 8.');
  });

  test('that a stored conversation refers to are defined in its next request', async () => {
    const { registry } = await registryOf(20);
    const conversation = open(registry);
    const found = await conversation.search('update ticket');
    const resumed = conversation.resumed();
    expect(namesIn(resumed.request())).toEqual(namesIn(conversation.request()));
    expect(resumed.argumentsOf(String(found[0]))).toEqual(conversation.argumentsOf(String(found[0])));
  });

  test('are not offered to a role without the search', async () => {
    const registry = createRegistry({ roles: [{ role: 'nobody', allowedTools: [] }] });
    registry.register({ name: 'clock', description: 'Tells the time' }, () => 'noon');
    expect(namesIn(open(registry.view({ role: 'nobody' })).request())).toEqual([]);
  });

  test('do not swallow an abort', async () => {
    const { registry } = await registryOf(1);
    const reason = new Error('enough');
    const call = open(registry).call(
      'mcp__shelf__update_invoice_0',
      { id: 'a' },
      { signal: AbortSignal.abort(reason) },
    );
    await expect(call).rejects.toBe(reason);
  });
});

test.each(apis.filter(({ api }) => !/OpenAI|openai/.test(api)))(
  'a search without hits says why: $api',
  async ({ open }) => {
    const { registry } = await registryOf(3);
    const conversation = open(registry);
    expect(await conversation.miss?.('xylophone')).toContain('xylophone');
  },
);

test('a role that loses a tool sees no more of it than its name, which the messages have', async () => {
  const { registry } = await registryOf(20);
  const api = anthropic(registry.view({ role: 'reader' }), { defer: true });
  const result = await api.run({ id: 'call_1', name: SEARCH, input: { query: 'update parcel' } });
  const [first] = result.content;
  const name = first?.type === 'tool_reference' ? first.tool_name : '';
  registry.update({ roles: [{ role: 'reader', allowedTools: ['shelf'], deniedTools: ['shelf.update_parcel_*'] }] });
  const gone = api.tools.find((each) => each.name === name);
  expect(gone).toEqual({
    name,
    description: 'This tool is no longer available.',
    input_schema: { type: 'object', properties: {} },
    defer_loading: true,
  });
});

test('a stored result of the search shows a view nothing that it may not see', async () => {
  const { registry } = await registryOf(20);
  const search = aiSdk(registry, { jsonSchema, defer: 'anthropic' }).tools[SEARCH];
  const stored: unknown = await search?.execute({ query: 'parcel' } as never, {});
  const { tools } = aiSdk(registry.view({ role: 'nobody' }), { jsonSchema, defer: 'anthropic' });
  expect(tools[SEARCH]).toBeUndefined();
  registry.update({ roles: [{ role: 'searching', allowedTools: [SEARCH] }] });
  const own = aiSdk(registry.view({ role: 'searching' }), { jsonSchema, defer: 'anthropic' }).tools[SEARCH];
  expect(JSON.stringify(stored)).toContain('parcel');
  expect(own && 'toModelOutput' in own && own.toModelOutput({ toolCallId: '1', input: {}, output: stored })).toEqual({
    type: 'text',
    value: 'None of the tools that were found is available any more. Search again.',
  });
});

test('messages from elsewhere define no tool with a name that the API refuses', async () => {
  const { registry } = await registryOf(20);
  const reference = (tool_name: string) => ({ type: 'tool_reference', tool_name });
  const messages: unknown[] = [
    { role: 'user', content: [reference(SEARCH), reference('not a tool!'), reference(''), reference('a'.repeat(65))] },
    { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: reference('of_the_model') }] },
    { role: 'user', content: [new Uint8Array(1_000_000), reference('gone')] },
  ];
  messages.push(messages); // a circle
  let deep: unknown = reference('far_below');
  for (let level = 0; level < 50_000; level++) deep = [deep];
  const api = anthropic(registry, { defer: true });
  api.resume([...messages, deep]);
  expect(api.tools.map(({ name }) => name)).toEqual([SEARCH, 'gone', 'far_below']);
});

test('the search of the AI SDK for OpenAI needs version 7, whose calls have a context', async () => {
  const { registry } = await registryOf(3);
  const search = aiSdk(registry, { jsonSchema, defer: 'openai' }).tools[SEARCH];
  const run = (options: object) => search?.execute({ arguments: { query: 'update invoice' } }, options);
  expect(() => run({})).toThrow("defer: 'openai' needs version 7");
  const found = Object(await run({ context: {} })) as { tools: unknown[] };
  expect(found.tools[0]).toMatchObject({ type: 'function', name: 'mcp__shelf__update_invoice_0', defer_loading: true });
});

test('defer for the AI SDK names the provider, and needs version 6', () => {
  const registry = createRegistry();
  const openWith = (options: object) => () => aiSdk(registry, { jsonSchema, ...options } as never);
  expect(openWith({ defer: true })).toThrow('defer must be one of "anthropic", "openai", got true');
  const version5 = () => ({ [Symbol.for('vercel.ai.validator')]: true });
  expect(openWith({ defer: 'anthropic', jsonSchema: version5 })).toThrow('defer needs version 6 or 7');
});

function namesIn(request: unknown): readonly string[] {
  const { tools } = request as { tools: readonly ({ name?: string; type?: string } | [string, unknown])[] };
  return tools.map((each) => (Array.isArray(each) ? each[0] : (each.name ?? SEARCH)));
}
