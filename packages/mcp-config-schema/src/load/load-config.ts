import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Config, ServerConfig } from '../config.js';
import { invalidConfig } from '../errors.js';
import { type ConfigCheck, checkConfig } from '../parse-config.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { findAt, findNearest, projectRootOf } from './find-files.js';
import { readText } from './read-text.js';

export interface LoadOptions {
  /** Where to look, and what `files` are relative to. Default: the directory of the process. */
  readonly cwd?: string | undefined;
  /**
   * Files to read together, or directories that have them. Left out, the nearest directory from `cwd` upward is taken
   * that has `mcp_servers.yaml`, `config/mcp_servers.yaml` or `.mcp.json`, with the `tools.yaml` beside it.
   */
  readonly files?: readonly string[] | undefined;
  /** What `${NAME}` stands for. Default: the environment of the process. */
  readonly env?: TemplateVariables | undefined;
}

export interface FilesCheck extends ConfigCheck {
  /** What was read, by the name that issues use; for `formatIssue`. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Finds, reads and checks the configuration of a project. Relative directories in it are made absolute, and a server
 * without `cwd` gets the project's root, so that it does not matter where the program was started.
 *
 * @throws {ConfigError} `config-not-found`, `unreadable`, or `invalid-config` with every issue.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<Config> {
  const { config, issues } = await checkFiles(options);
  if (config === undefined) throw invalidConfig(issues);
  return config;
}

/**
 * Like `loadConfig`, but gives the issues and the texts that they are about.
 *
 * @throws {ConfigError} `config-not-found` or `unreadable`: then there is nothing to check.
 */
export async function checkFiles(options: LoadOptions = {}): Promise<FilesCheck> {
  const { cwd, files, env } = resolveOptions(options);
  const found = files === undefined ? await findNearest(cwd) : (await Promise.all(files.map(findAt))).flat();
  const paths = [...new Set(found)];

  const texts = new Map<string, string>();
  const roots = new Map<string, string>();
  for (const path of paths) {
    const shown = shownName(path, cwd);
    texts.set(shown, await readText(path));
    roots.set(shown, projectRootOf(path));
  }
  const inputs = Array.from(texts, ([file, text]) => ({ file, text }));
  const { issues, config } = checkConfig(inputs, { variables: env });
  return { issues, config: config && withDirectories(config, roots), texts };
}

interface ResolvedOptions {
  readonly cwd: string;
  readonly files: readonly string[] | undefined;
  readonly env: TemplateVariables;
}

function resolveOptions({ cwd = process.cwd(), files, env = process.env }: LoadOptions): ResolvedOptions {
  if (typeof cwd !== 'string') throw new TypeError('cwd must be the path of a directory');
  if (files === undefined) return { cwd: resolve(cwd), files, env };
  if (!Array.isArray(files) || files.some((file) => typeof file !== 'string')) {
    throw new TypeError('files must be a list of paths');
  }
  if (files.length === 0)
    throw new TypeError('files must name at least one file; leave it out to look from cwd upward');
  return { cwd: resolve(cwd), files: files.map((file) => resolve(cwd, file)), env };
}

/** Relative to `cwd` for a file inside it. */
function shownName(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}

function withDirectories(config: Config, roots: ReadonlyMap<string, string>): Config {
  const [firstRoot = '.'] = roots.values();
  const rootOf = (file: string | undefined) => roots.get(file ?? '') ?? firstRoot;
  const servers = config.servers.map((server): ServerConfig => {
    if (server.transport === 'http') return server;
    const root = rootOf(server.source.file);
    return { ...server, cwd: resolve(root, server.cwd ?? '.') };
  });
  const logDirectory = resolve(rootOf(config.settings.logDirectorySource?.file), config.settings.logDirectory);
  return { ...config, servers, settings: { ...config.settings, logDirectory } };
}
