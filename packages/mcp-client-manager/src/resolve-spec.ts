import { isAbsolute } from 'node:path';
import { isRecord } from '@x/internal/json';
import { checkOption, nearestName } from '@x/internal/options';
import {
  healthCheckTimeout,
  type Optional,
  type ProcessFields,
  type ServerField,
  type ServerFields,
  serverFields,
} from '@x/internal/server-fields';
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

export interface ServerPolicy extends ServerFields, ProcessFields {
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
        readonly server: InProcessServerSpec['server'];
        readonly open: () => InProcessServer | Promise<InProcessServer>;
      };
  readonly logDirectory: string | undefined;
  readonly healthCheck: HealthCheckSpec & { readonly timeoutMs: number };
}

const healthMethod = { kind: 'word', words: ['ping', 'tool_call'] } as const;

/** @throws {TypeError} Names the server and the field that is out of bounds. */
export function resolveSpec(spec: ServerSpec): ServerPolicy {
  if (!isRecord(spec)) throw new TypeError(`A server spec must be an object, got ${typeof spec}`);
  const { name, healthCheck = { method: 'ping' } } = spec;
  if (typeof name !== 'string' || name === '') {
    const remedy = Object.hasOwn(spec, 'id') ? '. Rename its "id" to "name"' : '';
    throw new TypeError(`A server spec needs a "name" that is not empty${remedy}`);
  }
  const where = `server "${name}": `;
  refuseMisspelt(where, spec as unknown as Readonly<Record<string, unknown>>);
  const fields = resolveFields(where, spec);
  const { timeoutMs = healthCheckTimeout.default } = healthCheck;
  checkOption(`${where}healthCheck.method`, healthMethod, healthCheck.method);
  if (healthCheck.method === 'tool_call') requireTexts(where, { 'healthCheck.tool': healthCheck.tool });
  checkOption(`${where}healthCheck.timeoutMs`, { kind: 'number', ...healthCheckTimeout }, timeoutMs);
  const { logDirectory } = spec as Partial<StdioServerSpec>;
  if (logDirectory !== undefined) checkOption(`${where}logDirectory`, absolutePath, logDirectory);
  const target = resolveTarget(spec);
  if (fields.connections === 'per-caller' && target.type === 'in-process' && typeof target.server !== 'function') {
    throw new TypeError(
      `${where}"connections": "per-caller" requires a function that creates a server object per connection`,
    );
  }
  return { name, target, ...fields, logDirectory, healthCheck: { ...healthCheck, timeoutMs } };
}

const specKeys: readonly string[] = [
  ...Object.keys(serverFields),
  ...['name', 'healthCheck', 'command', 'args', 'env', 'secrets', 'cwd', 'logDirectory'],
  ...['url', 'headers', 'auth', 'server'],
];

/** Keys of loaded configs and of `mcpServers` objects that the manager does not read. */
const otherKeys: ReadonlySet<string> = new Set(['transport', 'type', 'tags', 'layer', 'source', 'logDirectorySource']);

function refuseMisspelt(where: string, spec: Readonly<Record<string, unknown>>): void {
  // Entries of extensions have `enabled` beside the fields that count.
  const isEnabled = spec.enabled === true || spec.disabled === true || spec.autoStart === false;
  for (const key of Object.keys(spec)) {
    if (specKeys.includes(key) || otherKeys.has(key) || (key === 'enabled' && isEnabled)) continue;
    const nearest = nearestName(key, specKeys);
    if (nearest === undefined) continue;
    throw new TypeError(`${where}"${key}" is not a field of a server spec. Did you mean "${nearest}"?`);
  }
}

function resolveFields(
  where: string,
  spec: Optional<ServerFields & ProcessFields>,
): Pick<ServerPolicy, keyof typeof serverFields> {
  const rows: readonly [string, ServerField][] = Object.entries(serverFields);
  const given: Readonly<Record<string, unknown>> = spec;
  return Object.fromEntries(
    rows.map(([name, row]) => [name, resolveField(`${where}${name}`, row, given[name])]),
  ) as unknown as Pick<ServerPolicy, keyof typeof serverFields>;
}

function resolveField(name: string, row: ServerField, value: unknown = row.default): unknown {
  if (value === undefined) return undefined;
  if (row.kind === 'tools') return listOfTexts(name, value);
  checkOption(name, row, value);
  return value;
}

function listOfTexts(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list of strings`);
  requireTexts('', named(name, value));
  return [...value];
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
  if (Array.isArray(env)) throw new TypeError(`${where}env must be an object, such as { "LEVEL": "debug" }`);
  if (typeof command === 'string' && /^https?:\/\//i.test(command))
    throw new TypeError(`${where}command is a URL. Pass it as "url"`);
  // A NUL in a value fails only the start of this server.
  requireStrings(where, { command, ...named('args', args), ...named('env', env), ...(cwd !== undefined && { cwd }) });
  if (command === '') throw new TypeError(`${where}command must not be empty`);
  return { type: 'stdio', command, args: [...args], env: { ...env }, secrets: resolveSecrets(where, secrets), cwd };
}

/** Messages omit the URL, which may contain a key. */
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

/** No system accepts a NUL in an argument, path or variable. Messages omit values, which may be secrets. */
function requireTexts(where: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !value.includes('\0')) continue;
    throw new TypeError(`${where}${name} must be a string without NUL characters`);
  }
}

function named(
  prefix: string,
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

export const absolutePath = {
  kind: 'other',
  check: (path: unknown) =>
    typeof path === 'string' && isAbsolute(path) ? undefined : `an absolute path, got ${JSON.stringify(path)}`,
} as const;
