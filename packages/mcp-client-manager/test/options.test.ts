import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { type ClientManagerOptions, resolveOptions } from '../src/options.js';
import { resolveSpec } from '../src/resolve-spec.js';
import type { ServerSpec } from '../src/spec.js';

/** A spec as it may come from a program that TypeScript does not check. */
const spec = (fields: object): ServerSpec => ({ name: 'git', command: 'git-server', ...fields }) as ServerSpec;
const http = (fields: object): ServerSpec => ({ name: 'web', url: 'https://example.com/mcp', ...fields }) as ServerSpec;

test('the defaults of a manager', () => {
  const { redact, ...others } = resolveOptions();
  expect(others).toEqual({
    clientInfo: { name: 'mcp-client-manager', version: '0.0.0' },
    callTimeoutMs: 60_000,
    addedHeaders: new Set(),
    maxMessageBytes: 33_554_432,
    environment: process.env,
    commandPath: 'inherited',
    startConcurrency: 2 * availableParallelism() + 1,
    stateDirectory: undefined,
    logDirectory: undefined,
    handlers: {},
    capabilities: expect.any(Function),
    auth: undefined,
    resolveSecret: undefined,
    confirmLaunch: undefined,
    allowHealthCall: expect.any(Function),
    validateOutput: true,
  });
  expect(redact('nothing is taken out')).toBe('nothing is taken out');
});

test.each<[ClientManagerOptions, string]>([
  [{ callTimeoutMs: 0 }, 'callTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
  [
    { callTimeoutMs: Number.POSITIVE_INFINITY },
    'callTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got Infinity',
  ],
  [{ maxMessageBytes: 1_023 }, 'maxMessageBytes must be a whole number from 1024 to 536870912, got 1023'],
  [{ startConcurrency: 0 }, 'startConcurrency must be a whole number from 1 to 1000, got 0'],
  [{ capabilities: [] as never }, 'capabilities must be an object, got []'],
  [{ capabilities: null as never }, 'capabilities must be an object, got null'],
  [{ capabilities: { roots: 1n } }, 'capabilities must be an object that can be written as JSON'],
  [{ resolveSecret: {} as never }, 'resolveSecret must be a function, got object'],
  [{ confirmLaunch: true as never }, 'confirmLaunch must be a function, got boolean'],
  [{ allowHealthCall: true as never }, 'allowHealthCall must be a function, got boolean'],
  [{ stateDirectory: 'state' }, 'stateDirectory must be an absolute path, got "state"'],
  [{ logDirectory: './logs' }, 'logDirectory must be an absolute path, got "./logs"'],
])('options %o are refused', (options, message) => {
  expect(() => resolveOptions(options)).toThrow(new TypeError(message));
});

test('the defaults of a server', () => {
  expect(resolveSpec({ name: 'git', command: 'git-server' })).toEqual({
    name: 'git',
    target: { type: 'stdio', command: 'git-server', args: [], env: {}, secrets: [], cwd: undefined },
    autoStart: true,
    connections: 'shared',
    disabled: false,
    eager: false,
    priority: 0,
    allowedTools: undefined,
    unsetVariables: [],
    deniedTools: [],
    trusted: false,
    limits: {
      startupTimeoutMs: 10_000,
      firstRunTimeoutMs: 300_000,
      shutdownTimeoutMs: 5_000,
      idleStopMs: undefined,
      maxMemoryBytes: undefined,
      maxTools: 10_000,
      maxConcurrentCalls: 16,
      maxQueuedCalls: 64,
      queueTimeoutMs: 30_000,
    },
    restart: { onFailure: true, maxAttempts: 3 },
    health: { method: 'ping', intervalMs: 30_000, timeoutMs: 5_000 },
    protocol: 'auto',
  });
  expect(resolveSpec({ name: 'web', url: 'http://localhost:1/mcp' }).target).toEqual({
    type: 'http',
    url: 'http://localhost:1/mcp',
    headers: {},
    secrets: [],
  });
});

test('an explicit undefined is as good as nothing', () => {
  const fields = {
    name: 'git',
    args: undefined,
    env: undefined,
    cwd: undefined,
    protocol: undefined,
    limits: undefined,
    restart: { maxAttempts: undefined },
    health: undefined,
  };
  expect(resolveSpec(spec({ ...fields, url: undefined }))).toEqual(resolveSpec({ name: 'git', command: 'git-server' }));
  expect(resolveSpec(http({ command: undefined, headers: undefined })).target.type).toBe('http');
});

test('a resolved policy does not change with the spec', () => {
  const args = ['--verbose'];
  const env = { A: '1' };
  const { target } = resolveSpec({ name: 'git', command: 'git-server', args, env });
  args.push('--late');
  env.A = '2';
  expect(target).toMatchObject({ args: ['--verbose'], env: { A: '1' } });
});

test.each<[ServerSpec, string]>([
  [spec({ name: '' }), 'A server spec needs a "name" that is not empty'],
  [spec({ name: 5 }), 'A server spec needs a "name" that is not empty'],
  [spec({ name: undefined, id: 'git' }), 'A server spec needs a "name" that is not empty. Rename its "id" to "name"'],
  [spec({ auto_start: true }), 'server "git": auto_start is not a field; did you mean autoStart?'],
  [spec({ enabled: false }), 'server "git": enabled is not a field; did you mean disabled?'],
  [spec({ timeout: 5, envs: {} }), 'server "git": envs is not a field; did you mean env?'],
  [spec({ command: 'https://example.com/mcp' }), 'server "git": command is a URL. Pass it as "url"'],
  [spec({ env: ['A=1'] }), 'server "git": env must be an object, such as { "LEVEL": "debug" }'],
  [spec({ command: undefined }), 'server "git": needs exactly one of "command", "url" or "server", got none'],
  [
    spec({ url: 'https://example.com' }),
    'server "git": needs exactly one of "command", "url" or "server", got "command" and "url"',
  ],
  [spec({ command: '' }), 'server "git": command must not be empty'],
  [spec({ command: ['npx'] }), 'server "git": command must be text'],
  [spec({ args: ['ok', 5] }), 'server "git": args.1 must be text'],
  [spec({ env: { TOKEN: 5 } }), 'server "git": env.TOKEN must be text'],
  [spec({ cwd: 5 }), 'server "git": cwd must be text'],
  [
    http({ url: 'example.com/?key=secret' }),
    'server "web": url must begin with http:// or https:// and be a whole URL',
  ],
  [
    http({ url: 'ftp://secret@example.com' }),
    'server "web": url must begin with http:// or https:// and be a whole URL',
  ],
  [
    http({ url: 'https://me:secret@example.com' }),
    'server "web": url must not hold a user name or a password; send them in "headers"',
  ],
  [
    http({ headers: { Authorization: 5 } }),
    'server "web": headers.Authorization must be a string without NUL characters',
  ],
  [
    spec({ limits: { startupTimeoutMs: 999 } }),
    'server "git": limits.startupTimeoutMs must be a whole number from 1000 to 60000, got 999',
  ],
  [
    spec({ limits: { shutdownTimeoutMs: 30_001 } }),
    'server "git": limits.shutdownTimeoutMs must be a whole number from 1000 to 30000, got 30001',
  ],
  [
    spec({ restart: { maxAttempts: 0 } }),
    'server "git": restart.maxAttempts must be a whole number from 1 to 10, got 0',
  ],
  [
    spec({ restart: { maxAttempts: 1.5 } }),
    'server "git": restart.maxAttempts must be a whole number from 1 to 10, got 1.5',
  ],
  [
    spec({ limits: { maxTools: 100_001 } }),
    'server "git": limits.maxTools must be a whole number from 1 to 100000, got 100001',
  ],
  [
    spec({ limits: { maxMemoryBytes: 1_000_000 } }),
    'server "git": limits.maxMemoryBytes must be a whole number from 16777216 to 9007199254740991, got 1000000',
  ],
  [
    spec({ health: { intervalMs: '30' } }),
    'server "git": health.intervalMs must be a whole number from 10000 to 300000, got "30"',
  ],
  [
    spec({ health: { method: 'ping', timeoutMs: 0 } }),
    'server "git": health.timeoutMs must be a whole number from 1000 to 30000, got 0',
  ],
  [spec({ health: { method: 'http' } }), 'server "git": health.method must be one of "ping", "tool_call", got http'],
  [spec({ health: { method: 'tool_call' } }), 'server "git": health.tool must be a string without NUL characters'],
  [spec({ logDirectory: './logs' }), 'server "git": logDirectory must be an absolute path, got "./logs"'],
  [
    spec({ protocol: '2025-06-18' }),
    'server "git": protocol must be one of "auto", "legacy", "2026-07-28", got 2025-06-18',
  ],
])('a spec that cannot work is refused: %j', (broken, message) => {
  expect(() => resolveSpec(broken)).toThrow(new TypeError(message));
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('a timer cannot wait %d ms', (callTimeoutMs) => {
  expect(() => resolveOptions({ callTimeoutMs })).toThrow(TypeError);
});

/** Each field that a spec had at its top, and where it is. */
const moved = {
  startupTimeoutMs: 'limits.startupTimeoutMs',
  firstRunTimeoutMs: 'limits.firstRunTimeoutMs',
  shutdownTimeoutMs: 'limits.shutdownTimeoutMs',
  idleStopMs: 'limits.idleStopMs',
  memoryLimitBytes: 'limits.maxMemoryBytes',
  maxTools: 'limits.maxTools',
  maxConcurrentCalls: 'limits.maxConcurrentCalls',
  maxQueuedCalls: 'limits.maxQueuedCalls',
  queueTimeoutMs: 'limits.queueTimeoutMs',
  restartOnFailure: 'restart.onFailure',
  maxRestartAttempts: 'restart.maxAttempts',
  healthCheckIntervalMs: 'health.intervalMs',
  healthCheck: 'health',
};

test.each(Object.entries(moved))('%s at the top of a spec is refused, and the message names %s', (name, path) => {
  const message = `server "git": ${name} is not a field; did you mean ${path}?`;
  expect(() => resolveSpec(spec({ [name]: 5 }))).toThrow(new TypeError(message));
});

test.each([
  ['max_restart_attempts', 'restart.maxAttempts'],
  ['memory_limit_mb', 'limits.maxMemoryBytes'],
  ['idle_stop_seconds', 'limits.idleStopMs'],
  ['health_check', 'health'],
  ['maxAttempts', 'restart.maxAttempts'],
])('%s, the key of the file or of a group, leads to %s', (name, path) => {
  expect(() => resolveSpec(spec({ [name]: 5 }))).toThrow(
    new TypeError(`server "git": ${name} is not a field; did you mean ${path}?`),
  );
});

test.each([
  [{ limits: { maxTool: 5 } }, 'limits.maxTool is not a field; did you mean limits.maxTools?'],
  [{ limits: { maxAttempts: 5 } }, 'limits.maxAttempts is not a field; did you mean restart.maxAttempts?'],
  [
    { restart: { maxRestartAttempts: 5 } },
    'restart.maxRestartAttempts is not a field; did you mean restart.maxAttempts?',
  ],
  [{ restart: { backoff: 5 } }, 'restart.backoff is not a field; the fields are onFailure, maxAttempts'],
  [{ restart: false }, 'restart must be an object with onFailure, maxAttempts'],
  [{ health: null }, 'health must be an object with intervalMs, method, timeoutMs, tool, args'],
  [{ health: { tool: 'status' } }, 'health.tool requires "method": "tool_call"'],
  [{ health: { method: 'ping', args: {} } }, 'health.args requires "method": "tool_call"'],
  [{ health: { method: 'tool_call', tool: 'status', args: [] } }, 'health.args must be an object, got []'],
])('the groups of a spec are checked: %j', (fields, message) => {
  expect(() => resolveSpec(spec(fields))).toThrow(new TypeError(`server "git": ${message}`));
});

test('a group with one field has the defaults for the others', () => {
  const { limits, restart, health } = resolveSpec(
    spec({ limits: { maxTools: 5 }, restart: { onFailure: false }, health: { intervalMs: 60_000 } }),
  );
  expect(limits).toEqual({ ...resolveSpec(spec({})).limits, maxTools: 5 });
  expect(restart).toEqual({ onFailure: false, maxAttempts: 3 });
  expect(health).toEqual({ method: 'ping', intervalMs: 60_000, timeoutMs: 5_000 });
});
