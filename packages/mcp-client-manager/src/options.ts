import type { HealthCheckSpec, HttpServerSpec, ServerSpec, StdioServerSpec } from './spec.js';

export interface ClientManagerOptions {
  /** How the manager introduces itself to servers. Default `{ name: 'mcp-client-manager', version: '0.0.0' }`. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Longest wait for a call's result in milliseconds, time for starting the server included. Default 60 000. */
  readonly callTimeoutMs?: number;
  /** Largest message that is taken from a server, in bytes. A larger one fails its one call. Default 32 MiB. */
  readonly maxMessageBytes?: number;
  /** Where the environment of servers is inherited from, through an allow-list. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv;
}

export type ManagerPolicy = Readonly<Required<ClientManagerOptions>>;

export function resolveOptions({
  clientInfo = { name: 'mcp-client-manager', version: '0.0.0' },
  callTimeoutMs = 60_000,
  maxMessageBytes = 32 * 1_024 * 1_024,
  environment = process.env,
}: ClientManagerOptions = {}): ManagerPolicy {
  requireTimeout('callTimeoutMs', callTimeoutMs);
  requireRange('maxMessageBytes', maxMessageBytes, { min: 1_024, max: 512 * 1_024 * 1_024 });
  return { clientInfo, callTimeoutMs, maxMessageBytes, environment };
}

/** A server spec with every default filled in. */
export interface ServerPolicy {
  readonly name: string;
  readonly target:
    | {
        readonly type: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | undefined;
      }
    | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly autoStart: boolean;
  readonly startupTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly restartOnFailure: boolean;
  readonly maxRestartAttempts: number;
  readonly healthCheck: HealthCheckSpec & { readonly timeoutMs: number };
  readonly healthCheckIntervalMs: number;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
}

/** @throws {TypeError} Names the server and the field that is out of bounds. */
export function resolveSpec(spec: ServerSpec): ServerPolicy {
  const {
    name,
    autoStart = true,
    startupTimeoutMs = 10_000,
    shutdownTimeoutMs = 5_000,
    restartOnFailure = true,
    maxRestartAttempts = 3,
    healthCheck = { method: 'ping' },
    healthCheckIntervalMs = 30_000,
    protocol = 'auto',
  } = spec;
  if (typeof name !== 'string' || name === '') throw new TypeError('A server spec needs a "name" that is not empty');
  const healthTimeoutMs = healthCheck.timeoutMs ?? 5_000;
  const where = `server "${name}": `;
  requireOneOf(`${where}protocol`, protocol, ['auto', 'legacy', '2026-07-28']);
  requireOneOf(`${where}healthCheck.method`, healthCheck.method, ['ping', 'tool_call']);
  if (healthCheck.method === 'tool_call') requireTexts(where, { 'healthCheck.tool': healthCheck.tool });
  requireRange(`${where}startupTimeoutMs`, startupTimeoutMs, { min: 1_000, max: 60_000 });
  requireRange(`${where}shutdownTimeoutMs`, shutdownTimeoutMs, { min: 1_000, max: 30_000 });
  requireRange(`${where}maxRestartAttempts`, maxRestartAttempts, { min: 1, max: 10 });
  requireRange(`${where}healthCheck.timeoutMs`, healthTimeoutMs, { min: 1_000, max: 30_000 });
  requireRange(`${where}healthCheckIntervalMs`, healthCheckIntervalMs, { min: 10_000, max: 300_000 });
  return {
    name,
    target: resolveTarget(spec),
    autoStart,
    startupTimeoutMs,
    shutdownTimeoutMs,
    restartOnFailure,
    maxRestartAttempts,
    healthCheck: { ...healthCheck, timeoutMs: healthTimeoutMs },
    healthCheckIntervalMs,
    protocol,
  };
}

function resolveTarget(spec: ServerSpec): ServerPolicy['target'] {
  const where = `server "${spec.name}": `;
  const { command, url } = spec as { command?: unknown; url?: unknown };
  if ((command === undefined) === (url === undefined)) {
    const got = command === undefined ? 'neither' : 'both';
    throw new TypeError(`${where}needs either a "command" or a "url", got ${got}`);
  }
  return isHttpSpec(spec) ? httpTarget(where, spec) : stdioTarget(where, spec);
}

function isHttpSpec(spec: ServerSpec): spec is HttpServerSpec {
  return (spec as { url?: unknown }).url !== undefined;
}

function stdioTarget(where: string, { command, args = [], env = {}, cwd }: StdioServerSpec): ServerPolicy['target'] {
  requireTexts(where, { command, ...named('args', args), ...named('env', env), ...(cwd !== undefined && { cwd }) });
  if (command === '') throw new TypeError(`${where}command must not be empty`);
  return { type: 'stdio', command, args: [...args], env: { ...env }, cwd };
}

/** The URL itself stays out of the messages: there are servers whose URL holds a key. */
function httpTarget(where: string, { url, headers = {} }: HttpServerSpec): ServerPolicy['target'] {
  requireTexts(where, { url, ...named('headers', headers) });
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(`${where}url must begin with http:// or https:// and be a whole URL`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`${where}url must not hold a user name or a password; send them in "headers"`);
  }
  return { type: 'http', url, headers: { ...headers } };
}

/** @throws {TypeError} For what a timer cannot wait: nothing, for ever, or no number. */
export function requireTimeout(name: string, value: number): void {
  requireRange(name, value, { min: 1, max: 2_147_483_647 });
}

function requireRange(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}, got ${value}`);
}

function requireOneOf(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  throw new TypeError(`${name} must be one of ${words.map((word) => `"${word}"`).join(', ')}, got ${String(value)}`);
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
