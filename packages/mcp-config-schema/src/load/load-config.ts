import type { Config } from '../config.js';
import { invalidConfig } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import { type LoadOptions, resolveLoad } from './load-options.js';
import { readFiles } from './read-files.js';

/** A configuration from files. It holds values of variables: what is printed of it should go through `redactor`. */
export interface LoadedConfig extends Config {
  /** Knows the values of all variables that the files refer to. */
  readonly redactor: Redactor;
}

/**
 * Finds, reads and checks the configuration of a project. Relative directories in it are made absolute, and a server
 * without `cwd` gets the project's root, so that it does not matter where the program was started.
 *
 * @throws {ConfigError} `config-not-found`, `unreadable`, or `invalid-config` with every issue.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const { config, issues, redactor } = await checkFiles(options);
  if (config === undefined) throw invalidConfig(issues);
  return { ...config, redactor };
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
