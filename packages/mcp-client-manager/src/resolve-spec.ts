import { requireAbsolute, requireOneOf, requireRange, requireTimeout } from './bounds.js';
import type {
  AuthReference,
  HealthCheckSpec,
  HttpServerSpec,
  InProcessServer,
  InProcessServerSpec,
  SecretSpec,
  ServerSpec,
  StdioServerSpec,
} from './spec.js';

/** A server spec with every default filled in. */
export interface ServerPolicy {
  readonly name: string;
  readonly target:
    | {
        readonly type: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly secrets: readonly SecretSpec[];
        readonly cwd: string | undefined;
      }
    | {
        readonly type: 'http';
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly secrets: readonly SecretSpec[];
        readonly auth: AuthReference | undefined;
      }
    | {
        readonly type: 'in-process';
        /** As given; what tells one such server from another. */
        readonly server: InProcessServerSpec['server'];
        readonly open: () => InProcessServer | Promise<InProcessServer>;
      };
  readonly autoStart: boolean;
  readonly disabled: boolean;
  readonly eager: boolean;
  readonly priority: number;
  readonly startupTimeoutMs: number;
  readonly firstRunTimeoutMs: number;
  /** `undefined`: never stopped for being idle. */
  readonly idleStopMs: number | undefined;
  /** `undefined`: as much as the system gives it, or nobody can tell. */
  readonly memoryLimitBytes: number | undefined;
  /** `undefined`: the manager's. */
  readonly logDirectory: string | undefined;
  readonly maxConcurrentCalls: number;
  readonly maxQueuedCalls: number;
  readonly queueTimeoutMs: number;
  readonly maxTools: number;
  readonly allowedTools: readonly string[] | undefined;
  readonly deniedTools: readonly string[];
  readonly trusted: boolean;
  readonly shutdownTimeoutMs: number;
  readonly restartOnFailure: boolean;
  readonly maxRestartAttempts: number;
  readonly healthCheck: HealthCheckSpec & { readonly timeoutMs: number };
  readonly healthCheckIntervalMs: number;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  readonly connections: 'shared' | 'per-caller';
}

/** @throws {TypeError} Names the server and the field that is out of bounds. */
export function resolveSpec(spec: ServerSpec): ServerPolicy {
  const {
    name,
    autoStart = true,
    disabled = false,
    eager = false,
    priority = 0,
    firstRunTimeoutMs = 300_000,
    idleStopMs,
    maxConcurrentCalls = 16,
    maxQueuedCalls = 64,
    maxTools = 10_000,
    queueTimeoutMs = 30_000,
    allowedTools,
    deniedTools = [],
    trusted = false,
    startupTimeoutMs = 10_000,
    shutdownTimeoutMs = 5_000,
    restartOnFailure = true,
    maxRestartAttempts = 3,
    healthCheck = { method: 'ping' },
    healthCheckIntervalMs = 30_000,
    protocol = 'auto',
    connections = 'shared',
  } = spec;
  if (typeof name !== 'string' || name === '') throw new TypeError('A server spec needs a "name" that is not empty');
  const healthTimeoutMs = healthCheck.timeoutMs ?? 5_000;
  const where = `server "${name}": `;
  requireOneOf(`${where}protocol`, protocol, ['auto', 'legacy', '2026-07-28']);
  requireOneOf(`${where}connections`, connections, ['shared', 'per-caller']);
  requireOneOf(`${where}healthCheck.method`, healthCheck.method, ['ping', 'tool_call']);
  if (healthCheck.method === 'tool_call') requireTexts(where, { 'healthCheck.tool': healthCheck.tool });
  requireRange(`${where}startupTimeoutMs`, startupTimeoutMs, { min: 1_000, max: 60_000 });
  requireRange(`${where}priority`, priority, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  requireRange(`${where}firstRunTimeoutMs`, firstRunTimeoutMs, { min: 1_000, max: 3_600_000 });
  if (idleStopMs !== undefined) requireRange(`${where}idleStopMs`, idleStopMs, { min: 1_000, max: 2_147_483_647 });
  requireRange(`${where}maxConcurrentCalls`, maxConcurrentCalls, { min: 1, max: 1_000 });
  requireRange(`${where}maxQueuedCalls`, maxQueuedCalls, { min: 0, max: 10_000 });
  requireTimeout(`${where}queueTimeoutMs`, queueTimeoutMs);
  requireRange(`${where}maxTools`, maxTools, { min: 1, max: 100_000 });
  requireTexts(where, { ...named('allowedTools', allowedTools ?? []), ...named('deniedTools', deniedTools) });
  requireRange(`${where}shutdownTimeoutMs`, shutdownTimeoutMs, { min: 1_000, max: 30_000 });
  requireRange(`${where}maxRestartAttempts`, maxRestartAttempts, { min: 1, max: 10 });
  requireRange(`${where}healthCheck.timeoutMs`, healthTimeoutMs, { min: 1_000, max: 30_000 });
  requireRange(`${where}healthCheckIntervalMs`, healthCheckIntervalMs, { min: 10_000, max: 300_000 });
  const { memoryLimitBytes, logDirectory } = spec as Partial<StdioServerSpec>;
  requireAbsolute(`${where}logDirectory`, logDirectory);
  if (memoryLimitBytes !== undefined) {
    requireRange(`${where}memoryLimitBytes`, memoryLimitBytes, { min: 16_777_216, max: Number.MAX_SAFE_INTEGER });
  }
  const target = resolveTarget(spec);
  if (connections === 'per-caller' && target.type === 'in-process' && typeof target.server !== 'function') {
    throw new TypeError(
      `${where}one server object has one connection; "connections" can be "per-caller" with a function that makes one`,
    );
  }
  return {
    name,
    target,
    autoStart,
    disabled,
    eager,
    priority,
    firstRunTimeoutMs,
    idleStopMs,
    memoryLimitBytes,
    logDirectory,
    maxConcurrentCalls,
    maxQueuedCalls,
    maxTools,
    queueTimeoutMs,
    allowedTools: allowedTools && [...allowedTools],
    deniedTools: [...deniedTools],
    trusted,
    startupTimeoutMs,
    shutdownTimeoutMs,
    restartOnFailure,
    maxRestartAttempts,
    healthCheck: { ...healthCheck, timeoutMs: healthTimeoutMs },
    healthCheckIntervalMs,
    protocol,
    connections,
  };
}

function resolveTarget(spec: ServerSpec): ServerPolicy['target'] {
  const where = `server "${spec.name}": `;
  const kinds = (['command', 'url', 'server'] as const).filter((key) => hasKey(spec, key));
  if (kinds.length !== 1) {
    const got = kinds.length === 0 ? 'none' : kinds.map((kind) => `"${kind}"`).join(' and ');
    throw new TypeError(`${where}needs exactly one of "command", "url" or "server", got ${got}`);
  }
  if (isInProcessSpec(spec)) return inProcessTarget(where, spec);
  return isHttpSpec(spec) ? httpTarget(where, spec) : stdioTarget(where, spec);
}

function hasKey(spec: ServerSpec, key: 'command' | 'url' | 'server'): boolean {
  return (spec as { readonly [name in typeof key]?: unknown })[key] !== undefined;
}

function isInProcessSpec(spec: ServerSpec): spec is InProcessServerSpec {
  return hasKey(spec, 'server');
}

function isHttpSpec(spec: ServerSpec): spec is HttpServerSpec {
  return hasKey(spec, 'url');
}

function stdioTarget(
  where: string,
  { command, args = [], env = {}, secrets, cwd }: StdioServerSpec,
): ServerPolicy['target'] {
  // A NUL among them fails the start of this server alone.
  requireStrings(where, { command, ...named('args', args), ...named('env', env), ...(cwd !== undefined && { cwd }) });
  if (command === '') throw new TypeError(`${where}command must not be empty`);
  return { type: 'stdio', command, args: [...args], env: { ...env }, secrets: resolveSecrets(where, secrets), cwd };
}

/** The URL itself stays out of the messages: there are servers whose URL holds a key. */
function httpTarget(where: string, { url, headers = {}, secrets, auth }: HttpServerSpec): ServerPolicy['target'] {
  requireTexts(where, { url, ...named('headers', headers) });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(`${where}url must begin with http:// or https:// and be a whole URL`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`${where}url must not hold a user name or a password; send them in "headers"`);
  }
  return { type: 'http', url, headers: { ...headers }, secrets: resolveSecrets(where, secrets), auth };
}

function resolveSecrets(where: string, secrets: readonly SecretSpec[] = []): readonly SecretSpec[] {
  if (!Array.isArray(secrets)) throw new TypeError(`${where}secrets must be a list of { key, reference }`);
  return secrets.map(({ key, reference, root }: SecretSpec, index) => {
    const texts = { key, reference, ...(root !== undefined && { root }) };
    requireTexts(
      where,
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [`secrets.${index}.${name}`, text])),
    );
    return texts;
  });
}

function inProcessTarget(where: string, { server }: InProcessServerSpec): ServerPolicy['target'] {
  if (typeof server === 'function') return { type: 'in-process', server, open: server };
  if (typeof server?.connect !== 'function' || typeof server.close !== 'function') {
    throw new TypeError(
      `${where}server must be an SDK server with connect() and close(), or a function that makes one`,
    );
  }
  return { type: 'in-process', server, open: () => server };
}

function requireStrings(where: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') throw new TypeError(`${where}${name} must be text`);
  }
}

/** No system takes a NUL in an argument, a path or a variable. The values may be secrets, so only their names are told. */
function requireTexts(where: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !value.includes('\0')) continue;
    throw new TypeError(`${where}${name} must be text without NUL characters`);
  }
}

function named(
  prefix: string,
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}
