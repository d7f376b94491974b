import { isAbsolute } from 'node:path';
import type { ToolOverrides } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { checkOption, refusePromise } from '@x/internal/options';
import { resolveOverrides } from '@x/internal/tool-overrides';
import type {
  AuthReference,
  HttpServerSpec,
  InProcessServer,
  InProcessServerSpec,
  SecretSpec,
  ServerSpec,
  StdioServerSpec,
} from './spec.js';
import { named, readSpecFields, requireTexts, type SpecFields } from './spec-fields.js';

export interface ServerPolicy extends SpecFields {
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
  readonly tools: ToolOverrides | undefined;
  readonly unsetVariables: readonly string[];
}

/** @throws {TypeError} Names the server and the field that is out of bounds. */
export function resolveSpec(spec: ServerSpec): ServerPolicy {
  refusePromise('The server spec', spec);
  if (!isRecord(spec)) throw new TypeError(`A server spec must be an object, got ${typeof spec}`);
  const { name } = spec;
  if (typeof name !== 'string' || name === '') {
    const remedy = Object.hasOwn(spec, 'id') ? '. Rename its "id" to "name"' : '';
    throw new TypeError(`A server spec needs a "name" that is not empty${remedy}`);
  }
  const where = `server "${name}": `;
  const fields = readSpecFields(where, spec as unknown as Readonly<Record<string, unknown>>);
  const { logDirectory } = spec as Partial<StdioServerSpec>;
  if (logDirectory !== undefined) checkOption(`${where}logDirectory`, absolutePath, logDirectory);
  const target = resolveTarget(spec);
  if (fields.connections === 'per-caller' && target.type === 'in-process' && typeof target.server !== 'function') {
    throw new TypeError(
      `${where}"connections": "per-caller" requires a function that creates a server object per connection`,
    );
  }
  const tools = resolveOverrides(spec.tools, { place: where, option: 'tools', refuse });
  return { name, target, ...fields, logDirectory, tools, unsetVariables: unsetVariablesOf(where, spec) };
}

function unsetVariablesOf(where: string, { unsetVariables = [] }: ServerSpec): readonly string[] {
  if (!Array.isArray(unsetVariables)) throw new TypeError(`${where}unsetVariables must be a list of names`);
  requireTexts(where, named('unsetVariables', unsetVariables));
  return [...unsetVariables];
}

function refuse(fault: TypeError): never {
  throw fault;
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
  if (!Array.isArray(args)) throw new TypeError(`${where}args must be a list of texts, such as ["-y", "files-mcp"]`);
  requirePlain(`${where}env`, env, '{ "LEVEL": "debug" }');
  if (typeof command === 'string' && /^https?:\/\//i.test(command))
    throw new TypeError(`${where}command is a URL. Pass it as "url"`);
  // A NUL in a value fails only the start of this server.
  requireStrings(where, { command, ...named('args', args), ...named('env', env), ...(cwd !== undefined && { cwd }) });
  if (command === '') throw new TypeError(`${where}command must not be empty`);
  return { type: 'stdio', command, args: [...args], env: { ...env }, secrets: resolveSecrets(where, secrets), cwd };
}

/** Messages omit the URL, which may contain a key. */
function httpTarget(where: string, spec: HttpServerSpec): ServerPolicy['target'] {
  const { url, headers = {}, secrets, auth, unsetVariables = [] } = spec;
  requirePlain(`${where}headers`, headers, '{ "Authorization": "Bearer …" }');
  requireTexts(where, { url, ...named('headers', headers) });
  const target = { type: 'http', url, headers: { ...headers }, secrets: resolveSecrets(where, secrets), auth } as const;
  if (unsetVariables.length > 0) return target;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError(`${where}url must begin with http:// or https:// and be a whole URL`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`${where}url must not hold a user name or a password; send them in "headers"`);
  }
  return target;
}

function resolveSecrets(where: string, secrets: readonly SecretSpec[] = []): readonly SecretSpec[] {
  if (!Array.isArray(secrets)) throw new TypeError(`${where}secrets must be a list of { key, reference }`);
  return secrets.map((secret: SecretSpec, index) => {
    const { key, reference, root } = Object(secret) as SecretSpec;
    const texts = { key, reference, ...(root !== undefined && { root }) };
    requireTexts(
      where,
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [`secrets.${index}.${name}`, text])),
    );
    return texts;
  });
}

function inProcessTarget(where: string, { server }: InProcessServerSpec): ServerPolicy['target'] {
  if (typeof server === 'function') {
    const isClass = /^class\b/.test(Function.prototype.toString.call(server));
    if (isClass) throw new TypeError(`${where}server is a class. Pass a function: () => new ${server.name}(…)`);
    return { type: 'in-process', server, open: server };
  }
  if (typeof server?.connect !== 'function' || typeof server.close !== 'function') {
    throw new TypeError(
      `${where}server must be an SDK server with connect() and close(), or a function that makes one`,
    );
  }
  return { type: 'in-process', server, open: () => server };
}

/** A `Map` or `Headers` has no entries of its own. */
function requirePlain(name: string, value: unknown, example: string): void {
  if (!isRecord(value) || Symbol.iterator in value)
    throw new TypeError(`${name} must be an object, such as ${example}`);
}

function requireStrings(where: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') throw new TypeError(`${where}${name} must be text`);
  }
}

export const absolutePath = {
  kind: 'other',
  check: (path: unknown) =>
    typeof path === 'string' && isAbsolute(path) ? undefined : `an absolute path, got ${JSON.stringify(path)}`,
} as const;
