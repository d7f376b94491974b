import type { Redactor } from '@x/internal/secrets';
import type { Config } from '../config.js';
import { invalidConfig } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import type { WrittenLaunch } from '../written-launch.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import { type LoadConfigOptions, type LoadOptions, resolveLoad } from './load-options.js';
import { readFiles } from './read-files.js';

/** A configuration from files. It holds values of variables: what is printed of it should go through `redactor`. */
export interface LoadedConfig extends Config {
  /** Knows the values of all variables that the files refer to, and those of secrets that were looked up. */
  readonly redactor: Redactor;
  /** Warnings; a configuration with an error is not loaded. */
  readonly issues: readonly ConfigIssue[];
  /** The entry of each server as its file says it, by name. See `ConfigCheck.launches`. */
  readonly launches: ReadonlyMap<string, WrittenLaunch>;
}

/**
 * Finds, reads and checks the configuration of a project. Relative directories in it are made absolute, and a server
 * without `cwd` gets the project's root, so that it does not matter where the program was started.
 *
 * @throws {ConfigError} `config-not-found`, `unreadable`, or `invalid-config` with every issue.
 */
export async function loadConfig({ secrets, ...options }: LoadConfigOptions = {}): Promise<LoadedConfig> {
  if (secrets !== undefined && secrets !== 'resolve' && (typeof secrets !== 'object' || secrets === null)) {
    throw new TypeError('secrets must be "resolve" or an object of options');
  }
  if (secrets !== undefined && options.variables === 'keep') {
    throw new TypeError('secrets cannot be looked up together with variables: "keep", which keeps values out');
  }
  const { config, issues, redactor, launches } = await checkFiles(options);
  if (config === undefined) throw invalidConfig(issues);
  const loaded = { ...config, issues, launches };
  if (secrets === undefined) return { ...loaded, redactor };
  const { resolveSecrets } = await import('../secrets/resolve-secrets.js'); // with the programs that it may start
  const { env } = options;
  const given = secrets === 'resolve' ? {} : secrets;
  return { ...loaded, ...(await resolveSecrets(config.servers, { env, redactor, ...given })) };
}

/**
 * Like `loadConfig`, but gives the issues and the texts that they are about.
 *
 * @throws {ConfigError} `config-not-found` or `unreadable`: then there is nothing to check.
 */
export async function checkFiles(options: LoadOptions = {}): Promise<FilesCheck> {
  const policy = await resolveLoad(options);
  return checkReadFiles(await readFiles(policy), policy);
}
