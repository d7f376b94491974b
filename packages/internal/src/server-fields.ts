import { longestTimerMs } from './options.js';

/** Fields that a config entry and a spec of the client manager share. */
export interface ServerFields {
  /**
   * True if a call starts the server. If `false`, only `start()` does, and a call to the stopped server fails with
   * `not-started`. Default `true`; in `mcp_servers.yaml` the setting `auto_start_default`.
   */
  readonly autoStart: boolean;
  /** The server never starts, and its tools are not offered. Default `false`. */
  readonly disabled: boolean;
  /** Starts with the manager, does not stop when idle, and restarts also after a clean exit. Default `false`. */
  readonly eager: boolean;
  /** Servers with a higher priority start first and stop last. Default 0. */
  readonly priority: number;
  /**
   * Protocol era. `auto` (default): `initialize` first, then `server/discover` on the same process if the server
   * refuses it. `legacy`: `initialize` only. `2026-07-28`: that revision only.
   */
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /**
   * Sharing of a connection, which is one process of a stdio server. `shared` (default): by all callers. `per-caller`:
   * a caller whose `handler` accepts `sampling`, `elicitation` or `roots` has its own connection with the limits of
   * this spec, so that each server request has one recipient. It opens with the caller's first call, and closes after
   * `limits.idleStopMs` without a call, or five minutes. At most 32; one more caller closes an unused one, or fails
   * with `busy`.
   */
  readonly connections: 'shared' | 'per-caller';
  /** The only tools that are offered, by their own names, with `*` for any text. Default: all. */
  readonly allowedTools: readonly string[] | undefined;
  /** Tools that are never offered, even if allowed. Default: none. */
  readonly deniedTools: readonly string[];
  /**
   * True if the server's annotations of its tools are trusted: a call of a read-only or idempotent tool may be repeated
   * after a lost connection. Default `false`.
   */
  readonly trusted: boolean;
}

/** Lists of a server's tools by their own names, in which `*` stands for any text. */
export type ToolRules = Pick<ServerFields, 'allowedTools' | 'deniedTools'>;

/** Fields of `limits`. */
export interface LimitFields {
  /** From spawn to the end of the handshake, in milliseconds. Default 10 000, 1 000 to 60 000. */
  readonly startupTimeoutMs: number;
  /**
   * Replaces `startupTimeoutMs` for a package runner, such as `npx`, `uvx` or `docker run`, until this launch has
   * succeeded once. In milliseconds. Default 300 000, 1 000 to 3 600 000.
   */
  readonly firstRunTimeoutMs: number;
  /**
   * From SIGTERM to SIGKILL, in milliseconds. Default 5 000, 1 000 to 30 000. Before SIGTERM the server has 2 s to
   * exit after its stdin is closed.
   */
  readonly shutdownTimeoutMs: number;
  /** Time without a call after which the server stops, in milliseconds. Default: never. At least 1 000. */
  readonly idleStopMs: number | undefined;
  /** Maximum number of calls and other requests in progress; further ones are queued. Default 16, 1 to 1 000. */
  readonly maxConcurrentCalls: number;
  /** Maximum number of queued calls; one more fails with `busy`. Default 64, 0 to 10 000. */
  readonly maxQueuedCalls: number;
  /**
   * Longest wait of a queued call that has no limit of its own, in milliseconds; then it fails with `busy`. Default 30
   * 000. At least 1.
   */
  readonly queueTimeoutMs: number;
  /**
   * Maximum number of listed tools; further ones are left out, and the server is `degraded`. Default 10 000, 1 to 100
   * 000.
   */
  readonly maxTools: number;
}

/** Further fields of `limits` of a child process. */
export interface ProcessLimitFields {
  /**
   * Limit of the resident memory of the process and its descendants, in bytes. Above it, the server restarts as after a
   * failure, once its calls have finished. Checked every `health.intervalMs`, on Linux only. Default: no limit. At
   * least 16 777 216 (16 MiB).
   */
  readonly maxMemoryBytes: number | undefined;
}

/** Fields of `restart`. */
export interface RestartFields {
  /** True if the server is restarted after an unexpected exit. Default `true`. */
  readonly onFailure: boolean;
  /**
   * Restarts in a row before the server is parked. After 20, 40 and 60 s in `ready` the count is halved, after 120 s it is
   * cleared. Default 3, 1 to 10.
   */
  readonly maxAttempts: number;
}

/** Fields of `health`, apart from what a check sends. */
export interface HealthFields {
  /** Time between two health checks, in milliseconds. Default 30 000, 10 000 to 300 000. */
  readonly intervalMs: number;
}

/** Groups of rare fields. */
export interface FieldGroups {
  readonly limits: LimitFields & ProcessLimitFields;
  readonly restart: RestartFields;
  readonly health: HealthFields;
}

export type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

interface FieldBase {
  /** Key in `mcp_servers.yaml`. */
  readonly key: string;
  /** For the file's JSON Schema and the docs. */
  readonly says: string;
  /** The setting of a config that is the default in `mcp_servers.yaml`. */
  readonly setting?: string;
}

/** One row of `serverFields`, in the unit of the library. */
export type ServerField =
  | (FieldBase & { readonly kind: 'flag'; readonly default: boolean })
  | (FieldBase & { readonly kind: 'word'; readonly words: readonly string[]; readonly default: string })
  | (FieldBase & { readonly kind: 'tools'; readonly default: readonly string[] | undefined })
  | (FieldBase & {
      readonly kind: 'number';
      readonly default: number | undefined;
      readonly min: number;
      readonly max: number;
      /** Unit in `mcp_servers.yaml`, as a multiple of the unit of the library. Default 1. */
      readonly unit?: number;
      /** Bounds in `mcp_servers.yaml`. Default: `min` and `max`. */
      readonly written?: readonly [min: number, max: number];
    });

export const second = 1_000;
export const mebibyte = 1_048_576;

type FieldPath =
  | keyof ServerFields
  | { [Group in keyof FieldGroups]: `${Group}.${keyof FieldGroups[Group] & string}` }[keyof FieldGroups];

/** By path in a spec. Readers, the JSON Schema and the messages of `mcpx` derive from it. */
export const serverFields = {
  protocol: {
    key: 'protocol',
    kind: 'word',
    words: ['auto', 'legacy', '2026-07-28'],
    default: 'auto',
    says: 'Protocol generation to speak',
  },
  autoStart: {
    key: 'auto_start',
    kind: 'flag',
    default: true,
    setting: 'autoStartDefault',
    says: 'Start automatically when needed',
  },
  eager: {
    key: 'eager',
    kind: 'flag',
    default: false,
    says: 'Start with the daemon or the gateway, and keep running without calls',
  },
  disabled: { key: 'disabled', kind: 'flag', default: false, says: 'Keep the entry, but never start the server' },
  'restart.onFailure': {
    key: 'restart_on_failure',
    kind: 'flag',
    default: true,
    says: 'Start the server again when it exits by itself',
  },
  'restart.maxAttempts': {
    key: 'max_restart_attempts',
    kind: 'number',
    default: 3,
    min: 1,
    max: 10,
    says: 'Restarts in a row before it is left alone',
  },
  'health.intervalMs': {
    key: 'health_check_interval_seconds',
    kind: 'number',
    default: 30_000,
    min: 10_000,
    max: 300_000,
    unit: second,
    setting: 'healthCheckIntervalMs',
    says: 'Time between two health checks. Overrides the setting of this name in mcp_settings',
  },
  'limits.startupTimeoutMs': {
    key: 'startup_timeout_seconds',
    kind: 'number',
    default: 10_000,
    min: 1_000,
    max: 60_000,
    unit: second,
    setting: 'startupTimeoutMs',
    says: 'From the start of the server to its first answer. Overrides the setting of this name in mcp_settings',
  },
  'limits.shutdownTimeoutMs': {
    key: 'shutdown_timeout_seconds',
    kind: 'number',
    default: 5_000,
    min: 1_000,
    max: 30_000,
    unit: second,
    setting: 'shutdownTimeoutMs',
    says: 'From asking the server to stop to ending it. Overrides the setting of this name in mcp_settings',
  },
  'limits.firstRunTimeoutMs': {
    key: 'first_run_timeout_seconds',
    kind: 'number',
    default: 300_000,
    min: 1_000,
    max: 3_600_000,
    unit: second,
    says: 'Startup timeout of the first start, when the package may have to be downloaded',
  },
  'limits.idleStopMs': {
    key: 'idle_stop_seconds',
    kind: 'number',
    default: undefined,
    min: 1_000,
    max: longestTimerMs,
    unit: second,
    written: [10, 86_400],
    says: 'Stop the server after this long without a call; the next call starts it again. Left out: never',
  },
  'limits.maxMemoryBytes': {
    key: 'memory_limit_mb',
    kind: 'number',
    default: undefined,
    min: 16 * mebibyte,
    max: Number.MAX_SAFE_INTEGER,
    unit: mebibyte,
    written: [16, mebibyte],
    says: 'Memory that is too much, in MiB; the server is then started anew after its calls. Left out: no limit',
  },
  'limits.maxConcurrentCalls': {
    key: 'max_concurrent_calls',
    kind: 'number',
    default: 16,
    min: 1,
    max: 1_000,
    says: 'Calls in flight at once; later ones wait',
  },
  'limits.maxQueuedCalls': {
    key: 'max_queued_calls',
    kind: 'number',
    default: 64,
    min: 0,
    max: 10_000,
    says: 'Calls that wait for their turn; one more fails with "busy"',
  },
  'limits.queueTimeoutMs': {
    key: 'queue_timeout_seconds',
    kind: 'number',
    default: 30_000,
    min: 1,
    max: longestTimerMs,
    unit: second,
    written: [1, 3_600],
    says: 'Longest wait of a call for its turn; then it fails with "busy"',
  },
  connections: {
    key: 'connections',
    kind: 'word',
    words: ['shared', 'per-caller'],
    default: 'shared',
    says: 'One process for all, or one for each caller whose client can be asked something',
  },
  'limits.maxTools': {
    key: 'max_tools',
    kind: 'number',
    default: 10_000,
    min: 1,
    max: 100_000,
    says: 'Tools that are listed; further ones are left out',
  },
  priority: {
    key: 'priority',
    kind: 'number',
    default: 0,
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
    written: [-100, 100],
    says: 'Servers with a higher priority start first and stop last',
  },
  allowedTools: {
    key: 'allowed_tools',
    kind: 'tools',
    default: undefined,
    says: 'The only tools of this server that are offered. Left out: all. "*" stands for any text',
  },
  deniedTools: {
    key: 'denied_tools',
    kind: 'tools',
    default: [],
    says: 'Tools of this server that are never offered, even if allowed',
  },
  trusted: {
    key: 'trusted',
    kind: 'flag',
    default: false,
    says: 'Believe what the server says of its tools: calls of read-only and idempotent ones may be sent again when the connection is lost',
  },
} as const satisfies Readonly<Record<FieldPath, ServerField>>;

/** Bounds of a number in `mcp_servers.yaml`. */
export function writtenBounds({ min, max, unit = 1, written }: Extract<ServerField, { readonly kind: 'number' }>) {
  return written ?? ([min / unit, max / unit] as const);
}

/** A value of a spec as `mcp_servers.yaml` has it. */
export function writtenValue(row: ServerField, value: unknown): unknown {
  return row.kind === 'number' && typeof value === 'number' ? value / (row.unit ?? 1) : value;
}

/** In milliseconds. */
export const healthCheckTimeout = { default: 5_000, min: 1_000, max: 30_000 } as const;

export interface FieldPlace {
  readonly path: string;
  readonly group: keyof FieldGroups | undefined;
  /** Within its group. */
  readonly name: string;
  readonly row: ServerField;
}

export const fieldPlaces: readonly FieldPlace[] = Object.entries(serverFields).map(([path, row]) => {
  const [group, name] = path.split('.') as [keyof FieldGroups, string | undefined];
  return name === undefined ? { path, group: undefined, name: group, row } : { path, group, name, row };
});

/** All fields, in their groups. */
export function collectFields(read: (place: FieldPlace) => unknown): ServerFields & FieldGroups {
  const fields: Record<string, unknown> = {};
  const groups: Record<keyof FieldGroups, Record<string, unknown>> = { limits: {}, restart: {}, health: {} };
  for (const place of fieldPlaces) {
    const into = place.group === undefined ? fields : groups[place.group];
    into[place.name] = read(place);
  }
  return { ...fields, ...groups } as unknown as ServerFields & FieldGroups;
}

export function allowsTool({ allowedTools, deniedTools }: ToolRules, tool: string): boolean {
  if (deniedTools.some((pattern) => matchesStars(pattern, tool))) return false;
  return allowedTools === undefined || allowedTools.some((pattern) => matchesStars(pattern, tool));
}

/** Matches each part between two stars at its first occurrence, in linear time per part. */
function matchesStars(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
