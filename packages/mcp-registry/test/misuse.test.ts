// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createListSource, documentedMistakes, type Mistake, outcomeOf, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openCodeRunner } from '../src/code.js';
import { aiSdk, anthropic, google, langchain, openaiAgents, openaiChat } from '../src/formats.js';
import { createConstantSurface, createRegistry, type Registry } from '../src/index.js';
import { createAuditLog, createPinFile } from '../src/node.js';
import { toTypeScript } from '../src/typescript.js';

const anything = (value: unknown): any => value;
const read = tool('read', {
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
});

/** A registry with `files.read` and `files.write`. */
async function withFiles(roles?: unknown): Promise<Registry> {
  const registry = createRegistry(roles === undefined ? {} : { roles: anything(roles) });
  await registry.attach(createListSource('files', [read, tool('write')])).ready;
  return registry;
}

async function add(definition: object): Promise<{ works: string }> {
  const registry = createRegistry();
  registry.register({ name: 'add', description: 'Adds', ...definition }, (args) => args);
  const { signature = '' } = (await registry.describe('add')) ?? {};
  return { works: `\`${signature}\`` };
}

const names = (registry: Registry, options?: object) =>
  registry
    .view(options)
    .list()
    .map(({ name }) => `\`${name}\``)
    .join(', ');

const mistakes: Readonly<Record<string, Mistake>> = {
  'createRegistry({ role: [] })': () => ({ returned: createRegistry(anything({ role: [] })) }),
  'createRegistry(loadOptions()) of an async function': () => ({
    returned: createRegistry(anything(Promise.resolve({ roles: [] }))),
  }),
  'createRegistry([rule])': () => ({ returned: createRegistry(anything([])) }),
  'createRegistry({ validateArguments: "no" })': () => ({
    returned: createRegistry(anything({ validateArguments: 'no' })),
  }),
  'createRegistry({ audit: createAuditLog({ path }) })': () => ({
    returned: createRegistry({ audit: anything(createAuditLog({ path: join(tmpdir(), 'never-written.jsonl') })) }),
  }),
  'createRegistry({ trust: "aprove" })': () => ({ returned: createRegistry(anything({ trust: 'aprove' })) }),
  'createRegistry({ trust: { server: { files: "approve" } } })': () => ({
    returned: createRegistry(anything({ trust: { server: { files: 'approve' } } })),
  }),
  'createRegistry({ pinStore: "pins.json" })': () => ({
    returned: createRegistry(anything({ pinStore: 'pins.json' })),
  }),
  'createRegistry({ knownServers: "files" })': () => ({
    returned: createRegistry(anything({ knownServers: 'files' })),
  }),
  'roles: { reader: ["files"] }': () => ({ returned: createRegistry(anything({ roles: { reader: ['files'] } })) }),
  'roles: [{ role: "a", allowed_tools: ["files"] }]': () => ({
    returned: createRegistry(anything({ roles: [{ role: 'a', allowed_tools: ['files'] }] })),
  }),
  'roles: [{ role: "a", allowedTools: "files" }]': () => ({
    returned: createRegistry(anything({ roles: [{ role: 'a', allowedTools: 'files' }] })),
  }),
  'roles: [{ role: "a", allowedTools: ["files"], blockedTools: ["write"] }]': () => ({
    returned: createRegistry(anything({ roles: [{ role: 'a', allowedTools: ['files'], blockedTools: ['write'] }] })),
  }),
  'roles: [{ role: "a", allowedTools: ["files"], isDefualt: true }]': () => ({
    returned: createRegistry(anything({ roles: [{ role: 'a', allowedTools: ['files'], isDefualt: true }] })),
  }),
  'roles: [{ role: "a", allowedTools: [], inherits: ["b"] }] without "b"': () => ({
    returned: createRegistry({ roles: [{ role: 'a', allowedTools: [], inherits: ['b'] }] }),
  }),
  'allowedTools: ["mcp__files__read"], a public name': async () => ({
    works: names(await withFiles([{ role: 'a', allowedTools: ['mcp__files__read'] }]), { role: 'a' }),
  }),
  'deniedTools: ["write"], a name without its server': async () => ({
    works: names(await withFiles([{ role: 'a', allowedTools: ['files'], deniedTools: ['write'] }]), { role: 'a' }),
  }),
  'deniedTools: ["files.wirte"]': async () => {
    const registry = await withFiles([{ role: 'a', allowedTools: ['files'], deniedTools: ['files.wirte'] }]);
    return { reports: (await registry.diagnostics()).map(({ message }) => message).join() };
  },
  'update({ role: [] })': async () => ({ returned: (await withFiles()).update(anything({ role: [] })) }),
  'register(makeTool(), handler) of an async function': () => ({
    returned: createRegistry().register(anything(Promise.resolve({ name: 'add' })), () => ''),
  }),
  'register("add", { description, inputSchema }, handler), as in the SDK': () => ({
    returned: createRegistry().register(anything('add'), anything({ description: 'Adds' })),
  }),
  'register(tool) without a handler': () => ({
    returned: createRegistry().register({ name: 'add', description: 'Adds' }, anything(undefined)),
  }),
  'inputSchema: { a: z.number(), b: z.number().default(1) }, a raw shape': () =>
    add({ inputSchema: { a: z.number(), b: z.number().default(1) } }),
  'inputSchema: { a: z.number(), b: { type: "number" } }': () =>
    add({ inputSchema: { a: z.number(), b: { type: 'number' } } }),
  'inputSchema: { type: "object", properties: { a: z.number() } }': () =>
    add({ inputSchema: { type: 'object', properties: { a: z.number() } } }),
  'inputSchema: z.string()': () => add({ inputSchema: z.string() }),
  'inputSchema: "object"': () => add({ inputSchema: 'object' }),
  'parameters: { type: "object" } instead of inputSchema': () => add({ parameters: { type: 'object' } }),
  'keywords: "sum"': () => add({ keywords: 'sum' }),
  'name: "mcp__files__add"': () => add({ name: 'mcp__files__add' }),
  'register() twice with the same name': () => {
    const registry = createRegistry();
    for (const description of ['first', 'second']) registry.register({ name: 'add', description }, () => '');
    return { returned: registry };
  },
  'attach(connect()) of an async function': () => ({
    returned: createRegistry().attach(anything(Promise.resolve(createListSource('files')))),
  }),
  'attach(manager.servers()), the list': () => ({
    returned: createRegistry().attach(anything([createListSource('files')])),
  }),
  'attach({ name: "files", command: "npx" }), a spec': () => ({
    returned: createRegistry().attach(anything({ name: 'files', command: 'npx' })),
  }),
  'attach() of the same source twice': async () => ({
    returned: (await withFiles()).attach(createListSource('files')),
  }),
  'listTools: () => ({ tools: [] })': async () => {
    const registry = createRegistry();
    await registry.attach({ ...createListSource('files'), listTools: anything(() => ({ tools: [] })) }).ready;
    return { reports: (await registry.diagnostics()).map(({ message }) => message).join() };
  },
  'callTool: () => "text"': async () => {
    const registry = createRegistry();
    await registry.attach(
      createListSource(
        'files',
        [tool('read')],
        anything(async () => 'text'),
      ),
    ).ready;
    return { returned: await registry.call('mcp__files__read') };
  },
  'view("reader")': async () => ({ returned: (await withFiles()).view(anything('reader')) }),
  'view({ roles: "reader" })': async () => ({ returned: (await withFiles()).view(anything({ roles: 'reader' })) }),
  'view({ role: user.role }) of a user without one': async () => ({
    returned: (await withFiles()).view(anything({ role: undefined })),
  }),
  'view({ role: "nobody" }).call(…), a role that does not exist': async () => ({
    returned: await (await withFiles([])).view({ role: 'nobody' }).call('mcp__files__read', { path: 'a' }),
  }),
  'explain("nobody", "files.read"), a role that does not exist': async () => ({
    reports: (await (await withFiles([{ role: 'a', allowedTools: ['files'] }])).explain('nobody', 'files.read'))
      .message,
  }),
  'search("read a file")': async () => ({ returned: await (await withFiles()).search(anything('read a file')) }),
  'search({ query: "read", useRegexp: true })': async () => ({
    returned: await (await withFiles()).search(anything({ query: 'read', useRegexp: true })),
  }),
  'search({ query: "read" }, controller.signal)': async () => ({
    returned: await (await withFiles()).search({ query: 'read' }, anything(new AbortController().signal)),
  }),
  'call("read", …), a name without its server': async () => ({
    returned: await (await withFiles()).call('read', { path: 'a' }),
  }),
  'call(name, "{\\"path\\":\\"a\\"}"), a JSON text': async () => ({
    returned: await (await withFiles()).call('mcp__files__read', anything('{"path":"a"}')),
  }),
  'call(name, { signal }), options in place of arguments': async () => ({
    returned: await (await withFiles()).call('mcp__files__read', { signal: new AbortController().signal }),
  }),
  'call(name, args, controller.signal)': async () => ({
    returned: await (await withFiles()).call('mcp__files__read', { path: 'a' }, anything(new AbortController().signal)),
  }),
  'call(name, args, { signal: controller })': async () => ({
    returned: await (await withFiles()).call(
      'mcp__files__read',
      { path: 'a' },
      {
        signal: anything(new AbortController()),
      },
    ),
  }),
  'call(name, args, { timeout: 5_000 })': async () => ({
    returned: await (await withFiles()).call('mcp__files__read', { path: 'a' }, anything({ timeout: 5_000 })),
  }),
  'call(name, args, { timeoutMs: "5s" })': async () => ({
    returned: await (await withFiles()).call('mcp__files__read', { path: 'a' }, { timeoutMs: anything('5s') }),
  }),
  'call(name, args, { timeoutMs: 5 }), seconds for milliseconds': async () => {
    const registry = createRegistry();
    registry.register({ name: 'wait', description: 'Waits' }, (_, { signal }) => once(signal));
    return { returned: await registry.call('wait', {}, { timeoutMs: 5 }) };
  },
  'call(name, args, onProgress)': async () => ({
    returned: await (await withFiles()).call(
      'mcp__files__read',
      { path: 'a' },
      anything(() => undefined),
    ),
  }),
  'call() after close()': async () => {
    const registry = await withFiles();
    await registry.close();
    return { returned: await registry.call('mcp__files__read', { path: 'a' }) };
  },
  'attach() after close()': async () => {
    const registry = await withFiles();
    await registry.close();
    return { returned: registry.attach(createListSource('git')) };
  },
  'events.on("tool-changed", listener)': () => ({
    returned: createRegistry().events.on(anything('tool-changed'), () => undefined),
  }),
  'events.on("tools-changed"), without a listener': () => ({
    returned: createRegistry().events.on('tools-changed', anything(undefined)),
  }),
  'changes(listener)': () => ({ returned: createRegistry().changes(anything(() => undefined)) }),
  'createConstantSurface(registry.list())': () => ({
    returned: createConstantSurface(anything(createRegistry().list())),
  }),
  'createConstantSurface(view, { code: openCodeRunner() }) without await': async () => {
    const code = openCodeRunner();
    try {
      return { returned: createConstantSurface(createRegistry(), { code: anything(code) }) };
    } finally {
      await (await code).close();
    }
  },
  'createConstantSurface(view, { code: openCodeRunner })': () => ({
    returned: createConstantSurface(createRegistry(), { code: anything(openCodeRunner) }),
  }),
  'toTypeScript(registry.list())': () => ({ returned: toTypeScript(anything(createRegistry().list())) }),
  'toTypeScript() without a view': () => ({ returned: toTypeScript(anything(undefined)) }),
  'toTypeScript(openView()) of an async function': () => ({
    returned: toTypeScript(anything(Promise.resolve(createRegistry()))),
  }),
  'anthropic(registry.list())': () => ({ returned: anthropic(anything(createRegistry().list())) }),
  'openaiChat(registry, { stric: true })': () => ({
    returned: openaiChat(createRegistry(), anything({ stric: true })),
  }),
  'aiSdk(registry) without jsonSchema': () => ({ returned: aiSdk(createRegistry(), anything({})) }),
  'langchain(registry) without DynamicStructuredTool': () => ({
    returned: langchain(createRegistry(), anything({})),
  }),
  'openaiAgents(registry, { images: false })': () => ({
    returned: openaiAgents(createRegistry(), anything({ images: false })),
  }),
  'google(registry).run(response)': async () => ({
    returned: await google(createRegistry()).run(anything({ candidates: [] })),
  }),
  'anthropic(registry).run(message)': async () => ({
    returned: await anthropic(createRegistry()).run(anything({ id: 'm', role: 'assistant', content: [] })),
  }),
  'openaiChat(registry).run(message.tool_calls)': async () => ({
    returned: await openaiChat(createRegistry()).run(anything([{ id: 'c', function: { name: 'a', arguments: '' } }])),
  }),
  'openaiChat(registry).run(call, signal)': async () => ({
    returned: await openaiChat(createRegistry()).run(
      { id: 'c', function: { name: 'a', arguments: '' } },
      anything(new AbortController().signal),
    ),
  }),
  'createPinFile("pins.json")': () => ({ returned: createPinFile(anything('pins.json')) }),
  'createAuditLog({ file: "audit.jsonl" })': () => ({ returned: createAuditLog(anything({ file: 'audit.jsonl' })) }),
};

function once(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Registry');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}
