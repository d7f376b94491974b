import { expectTypeOf, test } from 'vitest';
import type {
  CallHandler,
  CallOptions,
  ClientHandlerContext,
  ClientManager,
  ManagedServer,
  ManagerError,
  ManagerErrorCode,
  ManagerEvents,
  PassThroughOptions,
  RequestOptions,
  ServerRequest,
  ServerSpec,
  ServerState,
  ServerTool,
  StartOutcome,
  StdioServerSpec,
  ToolCallResult,
  ToolOverride,
  ToolOverrides,
} from '../src/index.js';
import { createClientManager, isManagerError } from '../src/index.js';

test('a name with a command or a URL is enough', () => {
  expectTypeOf<{ name: string; command: string }>().toExtend<ServerSpec>();
  expectTypeOf<{ name: string; url: string }>().toExtend<ServerSpec>();
  expectTypeOf<{ name: string }>().not.toExtend<ServerSpec>();
  expectTypeOf<{ command: string }>().not.toExtend<ServerSpec>();
  expectTypeOf<{ name: string; command: string; args: readonly string[]; env: { A: string } }>().toExtend<ServerSpec>();
});

test('optional fields may be written out as undefined', () => {
  expectTypeOf<{ name: string; command: string; cwd: undefined; autoStart: undefined }>().toExtend<ServerSpec>();
});

test('a spec narrows by the key that it has', () => {
  const narrow = (spec: ServerSpec): void => {
    if ('command' in spec) expectTypeOf(spec).toEqualTypeOf<StdioServerSpec>();
    else if ('url' in spec) expectTypeOf(spec.url).toEqualTypeOf<string>();
    else expectTypeOf(spec.server).not.toBeUndefined();
  };
  expectTypeOf(narrow).parameters.toEqualTypeOf<[ServerSpec]>();
});

test('a health check of one kind does not take the fields of the other', () => {
  type Check = NonNullable<ServerSpec['health']>;
  expectTypeOf<{ method: 'ping' }>().toExtend<Check>();
  expectTypeOf<{ intervalMs: number }>().toExtend<Check>();
  expectTypeOf<{ method: 'tool_call'; tool: string }>().toExtend<Check>();
  expectTypeOf<{ method: 'tool_call' }>().not.toExtend<Check>();
});

test('a spec has its rare fields in groups', () => {
  type Groups = { limits: { idleStopMs: number }; restart: { onFailure: boolean }; health: { intervalMs: number } };
  expectTypeOf<{ name: string; command: string } & Groups>().toExtend<ServerSpec>();
  expectTypeOf<{ name: string; url: string } & Groups>().toExtend<ServerSpec>();
  const spec = { name: 'files', command: 'files' };
  // @ts-expect-error A limit is in `limits`.
  const flat: ServerSpec = { ...spec, maxTools: 5 };
  const limited: ServerSpec = { ...spec, limits: { maxMemoryBytes: 16_777_216 } };
  // @ts-expect-error A server at a URL has no process whose memory has a limit.
  const remote: ServerSpec = { name: 'web', url: 'https://example.com', limits: { maxMemoryBytes: 16_777_216 } };
  expectTypeOf([flat, limited, remote]).toExtend<readonly ServerSpec[]>();
});

test('any iterable of specs makes a manager, and so does an object of them by name', () => {
  type Servers = Parameters<typeof createClientManager>[0];
  expectTypeOf<{ readonly servers: Iterable<ServerSpec> }>().toExtend<Servers>();
  expectTypeOf<{ servers: { git: { command: string } } }>().toExtend<Servers>();
  expectTypeOf<{ mcpServers: { git: { command: string }; web: { url: string } } }>().toExtend<Servers>();
  expectTypeOf<{ servers: string }>().not.toExtend<Servers>();
  expectTypeOf<{ servers: ServerSpec[]; mcpServers: Record<string, never> }>().not.toExtend<Servers>();
  expectTypeOf<ServerSpec[]>().not.toExtend<Servers>();
  expectTypeOf(createClientManager).returns.toEqualTypeOf<ClientManager>();
  expectTypeOf<ClientManager>().toExtend<AsyncDisposable>();
});

test('a start that failed has an error with a code', () => {
  expectTypeOf<Extract<StartOutcome, { status: 'failed' }>['error']>().toEqualTypeOf<ManagerError>();
});

test('each event has its payload', () => {
  const listen = (manager: ClientManager): void => {
    manager.events.on('server-state', (event) => {
      expectTypeOf(event).toEqualTypeOf<ManagerEvents['server-state']>();
      expectTypeOf(event.state).toEqualTypeOf<ServerState>();
    });
    expectTypeOf(
      manager.events.on('tools-changed', ({ tools }) => expectTypeOf(tools).toEqualTypeOf<number>()),
    ).toEqualTypeOf<{ [Symbol.dispose]: () => void }>();
    // @ts-expect-error No event has this name.
    manager.events.on('server-died', () => undefined);
  };
  expectTypeOf(listen).toBeFunction();
});

test('a state narrows by its phase', () => {
  const narrow = (state: ServerState): void => {
    if (state.phase === 'backoff') expectTypeOf(state.delayMs).toEqualTypeOf<number>();
    if (state.phase === 'ready') expectTypeOf(state.catalog).toEqualTypeOf<'complete' | 'partial' | 'unavailable'>();
    // @ts-expect-error Only a state with a failure behind it has a cause.
    if (state.phase === 'idle') state.cause;
  };
  expectTypeOf(narrow).toBeFunction();
});

test('a caught value narrows to an error with a code', () => {
  const caught: unknown = undefined;
  if (isManagerError(caught)) expectTypeOf(caught.code).toEqualTypeOf<ManagerErrorCode>();
});

test('a call and any other request may name the handler of server requests', () => {
  type Handler = NonNullable<CallOptions['handler']>;
  expectTypeOf<Handler>().toEqualTypeOf<CallHandler>();
  expectTypeOf<RequestOptions['handler']>().toEqualTypeOf<CallOptions['handler']>();
  expectTypeOf<PassThroughOptions['inputRequired']>().toEqualTypeOf<CallOptions['inputRequired']>();
  expectTypeOf<Parameters<Handler['answer']>>().toEqualTypeOf<[ServerRequest, ClientHandlerContext]>();
  expectTypeOf<RequestOptions>().not.toHaveProperty('params');
});

test('a managed server lists and calls', () => {
  expectTypeOf<ManagedServer['listTools']>().returns.toEqualTypeOf<readonly ServerTool[]>();
  expectTypeOf<ManagedServer['callTool']>().returns.toEqualTypeOf<Promise<ToolCallResult>>();
  expectTypeOf<ManagedServer['onToolsChanged']>().returns.toEqualTypeOf<Disposable>();
});

test('the texts of tools have types that can be imported', () => {
  expectTypeOf<StdioServerSpec['tools']>().toEqualTypeOf<ToolOverrides | undefined>();
  expectTypeOf<ToolOverrides[string]>().toEqualTypeOf<ToolOverride>();
});
