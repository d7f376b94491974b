import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { isRecord } from '@x/internal/json';
import { type OptionRows, optionTable } from '@x/internal/options';
import type { ConfigLayer } from '../config.js';
import { isLayer } from '../layers.js';
import type { SecretOptions } from '../secrets/reference-lookup.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { checkTextSource, type TextSource } from './given-texts.js';

/** Options of loading config files. */
export interface LoadOptions {
  /** Start of the search and of relative `files`. Default: the current directory. */
  readonly cwd?: string | undefined;
  /**
   * Files, or directories with files, of the layer `explicit`. Default: the nearest directory from `cwd` upward with
   * `mcp_servers.yaml`, `config/mcp_servers.yaml`, `.mcp.json` or `mcp-servers.json`, and the `tools.yaml` next to it;
   * without any, the nearest `tools.yaml` or `config/tools.yaml`; not above the home.
   */
  readonly files?: readonly string[] | undefined;
  /**
   * Layers to read. A server replaces one with the same name in a weaker layer completely. Default: only `explicit` if
   * there are `files`, else `project` and `user`. With `project` and without `explicit`, the named files are those
   * of the project, and nothing is searched.
   */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Directory of the layer `user`. Default: the folder `mcpx` in the system's directory for user configuration. */
  readonly userDirectory?: string | undefined;
  /** Values of `${NAME}`. Default: the environment of the process. */
  readonly env?: TemplateVariables | undefined;
  /**
   * Files with further values of `${NAME}`, in the syntax of `node --env-file`. Weaker than `env`, stronger than `.env`
   * files beside configs; of two files, the later one is stronger. Default: none.
   */
  readonly envFiles?: readonly string[] | undefined;
  /**
   * `expand` replaces variables and sets `cwd`, for servers that start here. `keep` leaves `${NAME}` and a missing
   * `cwd`, for files of host apps; a literal `${` is then `$${`. Default `expand`.
   */
  readonly variables?: 'expand' | 'keep' | undefined;
  /**
   * Severity of an unset variable. `warning`: the server stays in the config with its `unsetVariables`, and a client
   * manager reports it as not set up; all other servers work. `error`: the config is invalid. Default `warning`, for
   * `checkFiles` `error`.
   */
  readonly unsetVariables?: 'error' | 'warning' | undefined;
  /** Texts from elsewhere. Default: none. */
  readonly given?: TextSource | undefined;
  /** Texts in place of the content of found files, by absolute path, to check an edit before it is saved. Default: none. */
  readonly unsaved?: Readonly<Record<string, string>> | undefined;
}

/** Options of `loadConfig`. */
export interface LoadConfigOptions extends LoadOptions {
  /**
   * Resolves all secrets of servers into `env` and `headers`: `resolve`, or options. `env` and `redactor` default to
   * those of this call. Default: references stay, for `createSecretLookup`.
   */
  readonly secrets?: 'resolve' | SecretOptions | undefined;
}

export interface LoadPolicy {
  readonly cwd: string;
  /** Absolute. Empty for a search. */
  readonly files: readonly string[];
  readonly fileLayer: ConfigLayer;
  /** True if a project is searched for. */
  readonly hasProject: boolean;
  /** Absolute; `undefined` without the layer `user`. */
  readonly userDirectory: string | undefined;
  /** Last directory of the upward search; `undefined` if the user has no home. */
  readonly home: string | undefined;
  readonly env: TemplateVariables;
  /** Absolute. */
  readonly namedEnvFiles: readonly string[];
  readonly variables: 'expand' | 'keep';
  readonly unsetVariables: 'error' | 'warning';
  readonly given: TextSource | undefined;
  readonly unsaved: Readonly<Record<string, string>>;
}

export const loadRows = {
  cwd: { kind: 'text' },
  files: { kind: 'other', check: fileList },
  layers: { kind: 'other', check: layerList },
  userDirectory: { kind: 'text' },
  env: { kind: 'object' },
  envFiles: { kind: 'texts' },
  variables: { kind: 'word', words: ['expand', 'keep'], default: 'expand' },
  unsetVariables: { kind: 'word', words: ['error', 'warning'], default: 'warning' },
  given: { kind: 'other', check: checkTextSource },
  unsaved: { kind: 'other', check: textsByPath, default: {} },
} as const satisfies OptionRows<LoadOptions>;
const loadOptions = optionTable<LoadOptions>()(loadRows);

/** @throws {TypeError} A path in place of the options. */
export function requireOptions(name: string, given: unknown): void {
  if (typeof given !== 'string' && !Array.isArray(given)) return;
  throw new TypeError(`options must be an object: ${name}({ files: ${JSON.stringify([given].flat())} })`);
}

/** @throws {TypeError} An option is misspelled or invalid; the message names it. */
export async function resolveLoad(asked?: LoadOptions): Promise<LoadPolicy> {
  const options = loadOptions.read(asked);
  const {
    cwd = process.cwd(),
    files,
    env = process.env,
    envFiles = [],
    variables,
    unsetVariables,
    userDirectory,
    given,
    unsaved = {},
  } = options;
  const layers = resolveLayers(options);
  const user = layers.has('user') ? (userDirectory ?? (await userConfigDirectory())) : undefined;
  return {
    cwd: resolve(cwd),
    files: (files ?? []).map((file) => resolve(cwd, file)),
    fileLayer: layers.has('explicit') ? 'explicit' : 'project',
    hasProject: layers.has('project') && (files === undefined || layers.has('explicit')),
    userDirectory: user === undefined ? undefined : resolve(cwd, user),
    home: homeOfUser(),
    env,
    namedEnvFiles: envFiles.map((file) => resolve(cwd, file)),
    variables,
    unsetVariables,
    given,
    unsaved,
  };
}

function textsByPath(texts: unknown): string | undefined {
  const isValid =
    isRecord(texts) && Object.entries(texts).every(([path, text]) => isAbsolute(path) && typeof text === 'string');
  return isValid ? undefined : 'an object of texts by absolute path';
}

function fileList(files: unknown): string | undefined {
  if (!Array.isArray(files) || files.some((file) => typeof file !== 'string')) return 'a list of paths';
  return files.length > 0 ? undefined : 'a list of at least one file; leave it out to search from cwd upward';
}

function layerList(layers: unknown): string | undefined {
  const isList = Array.isArray(layers) && layers.length > 0 && layers.every(isLayer);
  return isList ? undefined : 'a list of explicit, project and user, with at least one of them';
}

function resolveLayers({ files, layers, given }: LoadOptions): ReadonlySet<ConfigLayer> {
  if (layers === undefined && files !== undefined) return new Set(['explicit']);
  if (layers === undefined) return new Set(given?.when === 'always' ? [] : ['project', 'user']);
  const isExplicit = layers.includes('explicit');
  if (files === undefined ? isExplicit : !isExplicit && !layers.includes('project')) {
    throw new TypeError(
      'layers must include explicit if there are files (or project, to count them as such), and only then',
    );
  }
  return new Set(layers);
}

/** Default directory of the layer `user`; `undefined` for a user without a home directory. */
export async function userConfigDirectory(): Promise<string | undefined> {
  return absolute((await userPaths())?.config);
}

/** Directory of the user's consents and other state of `mcpx`; `undefined` for a user without a home directory. */
export async function userStateDirectory(): Promise<string | undefined> {
  return absolute((await userPaths())?.data);
}

/** A relative path would lead into the project, whose author is not the user. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

async function userPaths(): Promise<{ readonly config: string; readonly data: string } | undefined> {
  try {
    // Loaded on demand: the import reads the home directory, which a user may lack.
    const { default: envPaths } = await import('env-paths');
    return envPaths('mcpx', { suffix: '' });
  } catch {
    return undefined; // the user has no home directory
  }
}

function homeOfUser(): string | undefined {
  try {
    return absolute(homedir());
  } catch {
    return undefined;
  }
}
