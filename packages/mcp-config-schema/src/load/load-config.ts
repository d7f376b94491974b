import { isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import type { Redactor } from '@x/internal/secrets';
import type { Config } from '../config.js';
import { invalidConfig } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import type { WrittenLaunch } from '../written-launch.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import { type LoadConfigOptions, type LoadOptions, loadRows, requireOptions, resolveLoad } from './load-options.js';
import { readFiles } from './read-files.js';

/** A configuration from files. Contains values of variables: use `redactor` before printing. */
export interface LoadedConfig extends Config {
  /** Redacts variables in the files and resolved secrets. */
  readonly redactor: Redactor;
  /** Warnings only; a configuration with an error is not loaded. */
  readonly issues: readonly ConfigIssue[];
  /** The entry of each server as written, by name. See `ConfigCheck.launches`. */
  readonly launches: ReadonlyMap<string, WrittenLaunch>;
}

const loadConfigOptions = optionTable<LoadConfigOptions>()({
  ...loadRows,
  secrets: {
    kind: 'other',
    check: (given) => (given === 'resolve' || isRecord(given) ? undefined : '"resolve" or an options object'),
  },
});

/**
 * Finds, reads and checks the configuration of a project. Makes directories absolute and sets a missing `cwd` to the
 * root, so the result does not depend on the current directory.
 *
 * @throws {ConfigError} `config-not-found`, `unreadable`, or `invalid-config` with all issues.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  requireOptions('loadConfig', options);
  const { secrets, ...load } = options;
  loadConfigOptions.read(options);
  if (secrets !== undefined && load.variables === 'keep') {
    throw new TypeError('secrets cannot be resolved with variables: "keep", which excludes values');
  }
  const check = await checkFiles({ ...load, unsetVariables: load.unsetVariables ?? 'warning' });
  const loaded = loadedOf(check);
  if (loaded === undefined) throw invalidConfig(check.issues);
  if (secrets === undefined) return loaded;
  const { resolveSecrets } = await import('../secrets/resolve-secrets.js'); // loaded on demand: it starts programs
  const { env } = load;
  const lookup = secrets === 'resolve' ? {} : secrets;
  const { servers, redactor } = loaded;
  return { ...loaded, ...(await resolveSecrets(servers, { env, redactor, ...lookup })) };
}

/** @returns `undefined` for a configuration with an error. */
export function loadedOf({ config, issues, launches, redactor }: FilesCheck): LoadedConfig | undefined {
  return config && { ...config, issues, launches, redactor };
}

/**
 * Like `loadConfig`, but returns the issues and their texts.
 *
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function checkFiles(options: LoadOptions = {}): Promise<FilesCheck> {
  requireOptions('checkFiles', options);
  const policy = await resolveLoad({ ...options, unsetVariables: options.unsetVariables ?? 'error' });
  return checkReadFiles(await readFiles(policy), policy);
}
