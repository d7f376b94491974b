import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type OptionRows, optionTable } from '@x/internal/options';
import type { ConfigLayer } from '../config.js';
import { isLayer } from '../layers.js';
import type { SecretOptions } from '../secrets/resolve-secrets.js';
import type { TemplateVariables } from '../template/expand-template.js';

/** Which files are read, and what their variables stand for. */
export interface LoadOptions {
  /** Where to look, and what `files` are relative to. Default: the directory of the process. */
  readonly cwd?: string | undefined;
  /**
   * Files to read together, or directories that have them: the layer `explicit`. Left out, the nearest directory from
   * `cwd` upward is taken that has `mcp_servers.yaml`, `config/mcp_servers.yaml` or `.mcp.json`, with the `tools.yaml`
   * beside it. Nothing above the home directory is looked at from inside of it.
   */
  readonly files?: readonly string[] | undefined;
  /**
   * Which layers count. A server of a stronger one takes the place of that of the same name in a weaker one, whole.
   * Default: `explicit` alone if there are `files`, otherwise `project` over `user`.
   */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Where the layer `user` is. Default: the folder `mcpx` where the system keeps configuration of a user. */
  readonly userDirectory?: string | undefined;
  /** What `${NAME}` stands for. Default: the environment of the process. */
  readonly env?: TemplateVariables | undefined;
  /**
   * `expand` puts the values in, for servers that are started here, and gives each server a `cwd`. `keep` leaves each
   * variable as `${NAME}` and a `cwd` that is left out as it is, for servers that are written into the files of host
   * apps: no secret gets there, and the host decides where it starts them. A literal `${` is then `$${`. Default
   * `expand`.
   */
  readonly variables?: 'expand' | 'keep' | undefined;
}

/** What `loadConfig` takes beside what every way to read files takes. */
export interface LoadConfigOptions extends LoadOptions {
  /**
   * Looks up every secret that a server refers to, and puts the values into its `env` and `headers`: `resolve`, or how to.
   * `env` and `redactor` default to this call's. Default: references stay, for `createSecretLookup`.
   */
  readonly secrets?: 'resolve' | SecretOptions | undefined;
}

export interface LoadPolicy {
  readonly cwd: string;
  /** Absolute. Empty without the layer `explicit`. */
  readonly files: readonly string[];
  readonly hasProject: boolean;
  /** Absolute; `undefined` without the layer `user`. */
  readonly userDirectory: string | undefined;
  /** Where looking upward ends; `undefined` where the user has no home. */
  readonly home: string | undefined;
  readonly env: TemplateVariables;
  readonly variables: 'expand' | 'keep';
}

/** A row for each of `LoadOptions`. */
export const loadRows = {
  cwd: { kind: 'text' },
  files: { kind: 'other', check: fileList },
  layers: { kind: 'other', check: layerList },
  userDirectory: { kind: 'text' },
  env: { kind: 'object' },
  variables: { kind: 'word', words: ['expand', 'keep'], default: 'expand' },
} as const satisfies OptionRows<LoadOptions>;
const loadOptions = optionTable<LoadOptions>()(loadRows);

/** @throws {TypeError} Names the option that is misspelt or makes no sense. */
export async function resolveLoad(given?: LoadOptions): Promise<LoadPolicy> {
  const options = loadOptions.read(given);
  const { cwd = process.cwd(), files, env = process.env, variables, userDirectory } = options;
  const layers = resolveLayers(options);
  const user = layers.has('user') ? (userDirectory ?? (await userConfigDirectory())) : undefined;
  return {
    cwd: resolve(cwd),
    files: (files ?? []).map((file) => resolve(cwd, file)),
    hasProject: layers.has('project'),
    userDirectory: user === undefined ? undefined : resolve(cwd, user),
    home: homeOfUser(),
    env,
    variables,
  };
}

function fileList(files: unknown): string | undefined {
  if (!Array.isArray(files) || files.some((file) => typeof file !== 'string')) return 'a list of paths';
  return files.length > 0 ? undefined : 'a list of at least one file; leave it out to look from cwd upward';
}

function layerList(layers: unknown): string | undefined {
  const isList = Array.isArray(layers) && layers.length > 0 && layers.every(isLayer);
  return isList ? undefined : 'a list of explicit, project and user, with at least one of them';
}

function resolveLayers({ files, layers }: LoadOptions): ReadonlySet<ConfigLayer> {
  if (layers === undefined) return new Set(files === undefined ? ['project', 'user'] : ['explicit']);
  if (layers.includes('explicit') !== (files !== undefined)) {
    throw new TypeError('layers must hold explicit when there are files, and only then');
  }
  return new Set(layers);
}

/** Where the layer `user` is by default; `undefined` for a user without a home directory. */
export async function userConfigDirectory(): Promise<string | undefined> {
  try {
    // Loaded only here: it asks for the home directory at once, and a user without one may still have a project.
    const { default: envPaths } = await import('env-paths');
    return envPaths('mcpx', { suffix: '' }).config;
  } catch {
    return undefined; // the system knows no home directory of this user
  }
}

function homeOfUser(): string | undefined {
  try {
    return resolve(homedir());
  } catch {
    return undefined;
  }
}
