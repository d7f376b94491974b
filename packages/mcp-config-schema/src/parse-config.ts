import { checkIgnoredKeys } from './checks/check-ignored-keys.js';
import { checkServerNames } from './checks/check-server-names.js';
import { checkTiers } from './checks/check-tiers.js';
import type { Config } from './config.js';
import { readConfigFile } from './config-file.js';
import { invalidConfig } from './errors.js';
import type { ConfigIssue } from './issues.js';
import { resolveServers } from './servers/resolve-servers.js';
import { resolveSettings } from './servers/resolve-settings.js';
import { SourceText } from './source/source-text.js';
import type { TemplateVariables } from './template/expand-template.js';
import { resolveTools } from './tools/resolve-tools.js';

/** One text of a configuration. */
export interface ConfigInput {
  readonly text: string;
  /** Shown in issues. `.json` and `.jsonc` are read as JSON with comments, everything else as YAML 1.2. */
  readonly file?: string | undefined;
}

export interface CheckOptions {
  /** What `${NAME}` stands for. Default none: each `${NAME}` without a default is then an issue. */
  readonly variables?: TemplateVariables | undefined;
}

export interface ConfigCheck {
  /** Everything that is wrong, in the order of the inputs and of the lines in them. */
  readonly issues: readonly ConfigIssue[];
  /** There unless an issue has severity `error`. */
  readonly config: Config | undefined;
}

/**
 * Checks texts that belong together and says everything that is wrong with them. Content never makes it throw.
 *
 * @param inputs - What each text is follows from the keys at its top: `mcp_servers` and `mcp_settings`, `tools`,
 *   `mcpServers`, or `servers`.
 * @throws {TypeError} The call itself is wrong: no input, or a `text` that is not a string.
 */
export function checkConfig(inputs: ConfigInput | readonly ConfigInput[], options: CheckOptions = {}): ConfigCheck {
  const sources = resolveInputs(inputs).map(({ text, file }) => new SourceText(text, file));
  const files = sources.filter((source) => source.isReadable).flatMap((source) => readConfigFile(source) ?? []);

  const settings = resolveSettings(files);
  const servers = resolveServers(files, settings, options.variables ?? {});
  const { tools, roles } = resolveTools(files);
  checkIgnoredKeys(files);
  checkTiers(files);
  // A text that could not be read may hold the very servers that would be missed.
  if (files.length === sources.length) checkServerNames(files);

  const issues = sources.flatMap((source) => source.issues.toSorted(byPlace));
  if (issues.some((issue) => issue.severity === 'error')) return { issues, config: undefined };
  const named = sources.flatMap((source) => source.file ?? []);
  return { issues, config: { servers, settings, tools, roles, files: named } };
}

/**
 * The configuration that texts describe.
 *
 * @throws {ConfigError} `invalid-config`, with every issue of `checkConfig`.
 */
export function parseConfig(inputs: ConfigInput | readonly ConfigInput[], options?: CheckOptions): Config {
  const { config, issues } = checkConfig(inputs, options);
  if (config === undefined) throw invalidConfig(issues);
  return config;
}

function resolveInputs(inputs: ConfigInput | readonly ConfigInput[]): readonly ConfigInput[] {
  const list: readonly ConfigInput[] = isList(inputs) ? inputs : [inputs];
  if (list.length === 0) throw new TypeError('inputs must hold at least one text');
  for (const input of list) {
    if (typeof input?.text !== 'string') throw new TypeError('inputs must be { text, file? } with text as a string');
    if (input.file !== undefined && typeof input.file !== 'string') throw new TypeError('inputs.file must be a string');
  }
  return list;
}

function isList(inputs: ConfigInput | readonly ConfigInput[]): inputs is readonly ConfigInput[] {
  return Array.isArray(inputs);
}

function byPlace(a: ConfigIssue, b: ConfigIssue): number {
  return a.line - b.line || a.column - b.column;
}
