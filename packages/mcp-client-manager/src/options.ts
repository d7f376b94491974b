import type { HealthCheckSpec, ServerSpec } from './spec.js';

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
  requireRange('callTimeoutMs', callTimeoutMs, { min: 1, max: 2_147_483_647 });
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
  const { command, url } = spec as { command?: unknown; url?: unknown };
  const hasCommand = typeof command === 'string' && command !== '';
  const hasUrl = typeof url === 'string' && URL.canParse(url);
  if (hasCommand === hasUrl) {
    throw new TypeError(
      `server "${spec.name}": needs either a "command" (text) or a "url" (http or https), got ${hasCommand ? 'both' : 'neither'}`,
    );
  }
  if ('url' in spec) return { type: 'http', url: spec.url, headers: spec.headers ?? {} };
  const { args = [], env = {}, cwd } = spec;
  return { type: 'stdio', command: spec.command, args, env, cwd };
}

function requireRange(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}, got ${value}`);
}
