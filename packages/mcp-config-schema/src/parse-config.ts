import { isRecord } from '@x/internal/json';
import { optionTable, refusePromise, refuseUnknownKeys } from '@x/internal/options';
import { createRedactor, type Redactor, redactorOf } from '@x/internal/secrets';
import { checkCommands, checkGateway, checkPackages } from './checks/check-commands.js';
import { checkDeadRules } from './checks/check-dead-rules.js';
import { checkIgnoredKeys } from './checks/check-ignored-keys.js';
import { checkPublicNames, checkReplacedServers, checkToolNames } from './checks/check-names.js';
import { checkRoles, checkStars } from './checks/check-roles.js';
import { checkSecrets, inlineSecretsIn } from './checks/check-secrets.js';
import { checkServerNames, checkTiers } from './checks/check-server-names.js';
import type { Config, ConfigLayer } from './config.js';
import { type ConfigFile, readConfigFile } from './config-file.js';
import { invalidConfig } from './errors.js';
import type { ConfigIssue } from './issues.js';
import { isLayer, strongestFirst } from './layers.js';
import { originsOf, type ValueOrigin } from './origins.js';
import { resolveTools, withoutProjectRoles } from './resolve-tools.js';
import { hideInIssues, secretValues } from './secrets/secret-values.js';
import type { VariablePolicy } from './servers/expand-in.js';
import { resolveServers, resolveSettings } from './servers/resolve-servers.js';
import { readJson } from './source/read-json.js';
import { SourceText } from './source/source-text.js';
import { type TemplatePlaces, type TemplateVariables, withFallback } from './template/expand-template.js';
import { type WrittenLaunch, writtenLaunches } from './written-launch.js';

/** A config text, with its file name and layer. */
export interface ConfigInput {
  readonly text: string;
  /**
   * File name in issues. `.json` and `.jsonc` are JSON with comments, `.toml` is TOML 1.0, other names are YAML 1.2.
   */
  readonly file?: string | undefined;
  /**
   * Servers, settings and tools of a stronger layer replace those of a weaker one; within one layer they are an issue.
   * Default `explicit`.
   */
  readonly layer?: ConfigLayer | undefined;
  /** Values of `{{root}}`, `{{runtime.python}}` and `{{runtime.node}}` in this text. Default: none. */
  readonly places?: TemplatePlaces | undefined;
  /** Value of `${userHome}` in a file of VS Code, where `${workspaceFolder}` is the root. Default: none. */
  readonly home?: string | undefined;
}

/** Options of a check. */
export interface CheckOptions {
  /**
   * Values of `${NAME}`. Default: none. `keep` leaves `${NAME}`, and `$${` for a literal `${`, for files of host apps.
   */
  readonly variables?: VariablePolicy | undefined;
  /**
   * Severity of `unset-variable`. `warning` keeps the server, with its `unsetVariables`. Default `error`; always a
   * warning for a disabled server.
   */
  readonly unsetVariables?: 'error' | 'warning' | undefined;
}

/** Result of a check. */
export interface ConfigCheck {
  /**
   * All issues, in order of the inputs and lines. At most 1,000 errors and 1,000 warnings per text, followed by
   * `too-many-issues` with the number of the others.
   */
  readonly issues: readonly ConfigIssue[];
  /** Missing if an issue has severity `error`. */
  readonly config: Config | undefined;
  /**
   * `config` without faulty servers. Missing if an error may affect others, such as an unreadable text or an invalid
   * rule.
   */
  readonly partial: Config | undefined;
  /** Origins of all effective values, by path such as `mcp_servers.git.args[0]`. Computed on first access. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** Entries of all valid servers as written, by name. Computed on first access. */
  readonly launches: ReadonlyMap<string, WrittenLaunch>;
  /** Redacts variables in the texts and literal secrets. */
  readonly redactor: Redactor;
}

/**
 * Checks the texts of a configuration and returns all issues. Never throws because of their content.
 *
 * @param inputs - The top-level keys decide the kind: `mcp_servers` and `mcp_settings`, `tools`, `mcpServers`, or
 * `servers`.
 * @throws {TypeError} There is no input, or a `text` is not a string.
 */
export function checkConfig(inputs: ConfigInput | readonly ConfigInput[], options?: CheckOptions): ConfigCheck {
  return checkInputs(resolveInputs(inputs), checkOptions.read(options));
}

const checkOptions = optionTable<CheckOptions>()({
  variables: {
    kind: 'other',
    check: (given) => (isRecord(given) || given === 'keep' ? undefined : 'an object of values by name, or "keep"'),
  },
  unsetVariables: { kind: 'word', words: ['error', 'warning'], default: 'error' },
});

interface InputsOptions extends CheckOptions {
  /** Variables whose values are redacted. Default: `variables`, unless it is `keep`. */
  readonly hidden?: TemplateVariables | undefined;
}

export interface CheckedInput extends ConfigInput {
  /** Values of variables in this text that `variables` lacks. */
  readonly fileVariables?: TemplateVariables | undefined;
  /** True for a given text: JSON under any file name, weaker than files. Default `false`. */
  readonly isGiven?: boolean | undefined;
}

/** `checkConfig` for valid inputs, which may be empty. */
export function checkInputs(
  inputs: readonly CheckedInput[],
  { variables = {}, unsetVariables = 'error', hidden }: InputsOptions,
): ConfigCheck {
  const texts = inputs.map(({ text, file, layer = 'explicit', places = {}, home, fileVariables, isGiven }) => ({
    source: new SourceText(text, file, isGiven ? readJson : undefined),
    layer,
    isGiven,
    places,
    home,
    fileVariables,
  }));
  const readable = texts.filter(({ source }) => source.isReadable);
  const recognised = readable.flatMap((text) => readConfigFile(text.source, text) ?? []);
  const files = withoutProjectRoles(strongestFirst(recognised));

  const settings = resolveSettings(files);
  const inputOf = new Map(texts.map((text) => [text.source, text]));
  const servers = resolveServers(files, settings, ({ source, kind }) => {
    const { places = {}, home, fileVariables } = inputOf.get(source) ?? {};
    const known = variables === 'keep' ? variables : withFallback(variables, fileVariables);
    return { variables: known, unsetVariables, places, vscode: kind === 'vscode-json' ? { home } : undefined };
  });
  const { tools, roles } = resolveTools(files);
  const isWhole = files.length === texts.length;
  checkFiles(files, isWhole);

  const inline = inlineSecretsIn(files);
  const found = texts.flatMap(({ source }) => source.issues);
  const issues = inline.values.size === 0 ? found : hideInIssues(found, createRedactor(inline.values));
  const all = {
    servers,
    settings: settings.all,
    tools,
    roles,
    files: texts.flatMap(({ source }) => source.file ?? []),
  };
  const hasErrors = issues.some((issue) => issue.severity === 'error');
  let origins: ReadonlyMap<string, ValueOrigin> | undefined;
  let redactor: Redactor | undefined;
  let launches: ReadonlyMap<string, WrittenLaunch> | undefined;
  return {
    issues,
    config: hasErrors ? undefined : all,
    partial: isWhole ? withoutFaultyServers(all, files) : undefined,
    get origins() {
      origins ??= originsOf(files);
      return origins;
    },
    get launches() {
      launches ??= writtenLaunches(files, servers);
      return launches;
    },
    get redactor() {
      const shared = hidden ?? (variables === 'keep' ? {} : variables);
      redactor ??= redactorOf(inline).with(
        texts.flatMap(({ source, fileVariables }) => [...secretValues([source], withFallback(shared, fileVariables))]),
      );
      return redactor;
    },
  };
}

/** @param isWhole - False if a text that could not be read may contain missing servers and roles. */
function checkFiles(files: readonly ConfigFile[], isWhole: boolean): void {
  checkIgnoredKeys(files);
  checkCommands(files);
  checkGateway(files);
  checkTiers(files);
  checkStars(files);
  checkDeadRules(files);
  checkPackages(files);
  checkPublicNames(files);
  checkSecrets(files);
  if (isWhole) checkServerNames(files);
  checkRoles(files, { isWhole });
  checkToolNames(files);
  checkReplacedServers(files);
}

/**
 * Parses the texts of a configuration.
 *
 * @throws {ConfigError} `invalid-config`, with all issues of `checkConfig`.
 */
export function parseConfig(inputs: ConfigInput | readonly ConfigInput[], options?: CheckOptions): Config {
  const { config, issues } = checkConfig(inputs, options);
  if (config === undefined) throw invalidConfig(issues);
  return config;
}

function resolveInputs(inputs: ConfigInput | readonly ConfigInput[]): readonly ConfigInput[] {
  const list: readonly ConfigInput[] = isList(inputs) ? inputs : [inputs];
  if (list.length === 0) throw new TypeError('inputs must contain at least one text');
  for (const input of list) {
    refusePromise('An input', input);
    if (typeof input?.text !== 'string') throw new TypeError(noText(input));
    refuseUnknownKeys(input, ['text', 'file', 'layer', 'places', 'home'], { where: 'inputs.' });
    if (input.file !== undefined && typeof input.file !== 'string') throw new TypeError('inputs.file must be a string');
    if (input.layer !== undefined && !isLayer(input.layer)) {
      throw new TypeError('inputs.layer must be explicit, project or user');
    }
  }
  return list;
}

/** A text alone, a path, and servers in code are likely. */
function noText(input: unknown): string {
  const form = 'inputs must be { text, file? } with text as a string';
  if (isRecord(input) && ('mcpServers' in input || 'mcp_servers' in input || 'servers' in input)) {
    return `${form}: this is the content itself; pass it as text: JSON.stringify(…), file: "mcp.json"`;
  }
  return typeof input === 'string' ? `${form}; loadConfig({ files: [path] }) reads a file` : form;
}

function isList(inputs: ConfigInput | readonly ConfigInput[]): inputs is readonly ConfigInput[] {
  return Array.isArray(inputs);
}

/**
 * Removes servers with an error. `undefined` for other errors: without a faulty rule, more would be allowed than
 * intended.
 */
function withoutFaultyServers(config: Config, files: readonly ConfigFile[]): Config | undefined {
  const faulty = new Set<string>();
  for (const { kind, source, section } of files) {
    for (const [first, name] of source.faultyEntries) {
      if (kind === 'tools' || first !== section || typeof name !== 'string') return undefined;
      faulty.add(identity(name, source.file));
    }
  }
  const servers = config.servers.filter(({ name, source }) => !faulty.has(identity(name, source.file)));
  return { ...config, servers };
}

function identity(server: string, file: string | undefined): string {
  return JSON.stringify([server, file]);
}
