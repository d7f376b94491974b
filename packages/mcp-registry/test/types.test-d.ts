import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { AuditEvent, AuditSink } from '../src/audit.js';
import type {
  ArgumentFault,
  ConstantSurfaceOptions,
  ContentBlock,
  OtherContent,
  Registry,
  RegistryError,
  RegistryView,
  RoleRules,
  TextContent,
  ToolCallResult,
  ToolSource,
  ToolView,
} from '../src/index.js';
import { type createConstantSurface, createRegistry } from '../src/index.js';
import { type AuditLine, createAuditLog, createPinFile } from '../src/node.js';
import type { RolePolicy, RoleSubject } from '../src/roles.js';
import type { SourceTool, SourceToolResult, StandardSchema } from '../src/sources.js';
import type { OfferedTool, PinStore, ReadTool } from '../src/trust.js';
import { applyPinChanges, type Pins } from '../src/trust.js';

test('an object of three lines is a tool source', () => {
  const source = {
    name: 'clock',
    listTools: async () => [{ name: 'now', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: 'noon' }] }),
  };
  expectTypeOf(source).toExtend<ToolSource>();
});

test('the type of a block says what it has', () => {
  expectTypeOf<Extract<ContentBlock, { readonly type: 'text' }>['text']>().toEqualTypeOf<string>();
  const textOf = (block: ContentBlock) => {
    if (block.type === 'text') return expectTypeOf(block).toEqualTypeOf<TextContent>();
    if (block.type === 'image' || block.type === 'audio') return expectTypeOf(block.data).toEqualTypeOf<string>();
    if (block.type === 'resource') return expectTypeOf(block.resource.text).toEqualTypeOf<string | undefined>();
    if (block.type === 'resource_link') return expectTypeOf(block.uri).toEqualTypeOf<string>();
    return expectTypeOf(block).toEqualTypeOf<OtherContent>(); // a release of tomorrow knows its type
  };
  expectTypeOf(textOf).parameter(0).toEqualTypeOf<ContentBlock>();
  // @ts-expect-error: which block has a text is known only after a look at its type
  expectTypeOf<ContentBlock>().toHaveProperty('text');
});

test('blocks are what a source may return', () => {
  expectTypeOf<ToolCallResult>().toExtend<SourceToolResult>();
  expectTypeOf<SourceToolResult>().not.toExtend<ToolCallResult>();
});

test('a registry is a view, and a view is what view() gives', () => {
  expectTypeOf<Registry>().toExtend<RegistryView>();
  expectTypeOf(createRegistry().view({ role: 'review' })).toEqualTypeOf<RegistryView>();
  expectTypeOf(createRegistry().view()).toEqualTypeOf<RegistryView>();
  expectTypeOf(createRegistry()).toExtend<AsyncDisposable>();
});

test('rules may say more than the registry reads', () => {
  const rules = [{ role: 'review', allowedTools: ['git.log'], tool: 'editor', origin: { line: 3 } }] as const;
  expectTypeOf(rules).toExtend<RoleRules>();
});

test('a policy takes a tool as the registry shows it', () => {
  expectTypeOf<ToolView>().toExtend<RoleSubject>();
  expectTypeOf(createRegistry().policy({ role: 'review' })).toEqualTypeOf<RolePolicy>();
});

test('an audit log accepts the events of a registry', () => {
  const log = createAuditLog({ path: 'audit.jsonl' });
  expectTypeOf(log.record).toExtend<AuditSink>();
  expectTypeOf(log).toExtend<AsyncDisposable>();
  expectTypeOf<AuditEvent['action']>().toEqualTypeOf<
    'call' | 'complete' | 'describe' | 'get-prompt' | 'list' | 'pass-on' | 'read' | 'search' | 'subscribe'
  >();
  expectTypeOf<Extract<AuditEvent, { readonly reason?: unknown }>['action']>().toEqualTypeOf<
    'call' | 'complete' | 'get-prompt' | 'pass-on' | 'read' | 'subscribe'
  >();
  expectTypeOf<AuditEvent>().toExtend<AuditLine>();
});

test('a handler may give any JSON, at once or later', () => {
  const registry = createRegistry();
  registry.register({ name: 'a', description: '' }, async (args, { signal }) => {
    expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return { sum: 1 };
  });
  registry.register({ name: 'b', description: '' }, () => 'text');
  expectTypeOf(registry.call('a')).resolves.toEqualTypeOf<ToolCallResult>();
});

test('a source may send unknown keys', () => {
  expectTypeOf<{
    name: string;
    inputSchema: { type: string };
    execution: { taskSupport: string };
  }>().toExtend<SourceTool>();
});

test('with a zod schema a handler gets what the schema gives', () => {
  const registry = createRegistry();
  const inputSchema = z.object({ path: z.string(), limit: z.number().default(3), when: z.string().transform(Number) });
  registry.register({ name: 'a', description: '', inputSchema }, (args, { signal }) => {
    expectTypeOf(args).toEqualTypeOf<{ path: string; limit: number; when: number }>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return args.limit;
  });
  expectTypeOf<typeof inputSchema>().toExtend<StandardSchema>();
  // @ts-expect-error: the schema gives no such argument
  registry.register({ name: 'b', description: '', inputSchema }, ({ missing }) => missing);
});

test('with JSON Schema a handler gets an object of anything', () => {
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
  createRegistry().register({ name: 'a', description: '', inputSchema }, (args) => {
    expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  });
});

test('what is wrong with arguments is data', () => {
  const faultsOf = (error: RegistryError) => error.faults;
  expectTypeOf(faultsOf).returns.toEqualTypeOf<readonly ArgumentFault[]>();
});

test('a pin store is two methods, and a file is one', () => {
  let kept: Pins = [];
  const store = {
    load: () => kept,
    save: async (changes) => (kept = applyPinChanges(kept, changes)),
  } satisfies PinStore;
  expectTypeOf(store).toExtend<PinStore>();
  expectTypeOf(createPinFile({ path: '/pins.json' })).toExtend<PinStore>();
});

test('what pins list is what they approve', () => {
  expectTypeOf<OfferedTool>().toExtend<ReadTool>();
  expectTypeOf<readonly OfferedTool[]>().toExtend<Parameters<Registry['pins']['approve']>[0]>();
});

test('the options of a constant surface have a type that can be imported', () => {
  expectTypeOf<Parameters<typeof createConstantSurface>[1]>().toEqualTypeOf<ConstantSurfaceOptions | undefined>();
});
