import { createRedactor, type Redactor, redactorOf } from '@x/internal/secrets';
import { checkCommands } from './checks/check-commands.js';
import { checkDeadRules } from './checks/check-dead-rules.js';
import { checkGateway } from './checks/check-gateway.js';
import { checkIgnoredKeys } from './checks/check-ignored-keys.js';
import { checkPackages } from './checks/check-packages.js';
import { checkPublicNames } from './checks/check-public-names.js';
import { checkReplacedServers } from './checks/check-replaced-servers.js';
import { checkRoles } from './checks/check-roles.js';
import { checkSecrets } from './checks/check-secrets.js';
import { checkServerNames } from './checks/check-server-names.js';
import { checkStars } from './checks/check-stars.js';
import { checkTiers } from './checks/check-tiers.js';
import { checkToolNames } from './checks/check-tool-names.js';
import { inlineSecretsIn } from './checks/inline-secrets.js';
import type { Config, ConfigLayer } from './config.js';
import { readConfigFile } from './config-file.js';
import { invalidConfig } from './errors.js';
import type { ConfigIssue } from './issues.js';
import { isLayer, strongestFirst } from './layers.js';
import { originsOf, type ValueOrigin } from './origins.js';
import { withoutFaultyServers } from './partial-config.js';
import { hideInIssues } from './secrets/hide-in-issues.js';
import { secretValues } from './secrets/secret-values.js';
import type { VariablePolicy } from './servers/expand-in.js';
import { resolveServers } from './servers/resolve-servers.js';
import { resolveSettings } from './servers/resolve-settings.js';
import { SourceText } from './source/source-text.js';
import type { TemplatePlaces, TemplateVariables } from './template/expand-template.js';
import { withoutProjectRoles } from './tools/project-roles.js';
import { resolveTools } from './tools/resolve-tools.js';
import { type WrittenLaunch, writtenLaunches } from './written-launch.js';

/** One text of a configuration. */
export interface ConfigInput {
  readonly text: string;
  /** Shown in issues. `.json` and `.jsonc` are read as JSON with comments, `.toml` as TOML 1.0, everything else as YAML 1.2. */
  readonly file?: string | undefined;
  /**
   * What is in a stronger layer wins over the same server, setting or tool in a weaker one; within one layer it is an
   * issue. Default `explicit`.
   */
  readonly layer?: ConfigLayer | undefined;
  /** What `{{root}}`, `{{runtime.python}}` and `{{runtime.node}}` stand for in this text. Default nothing. */
  readonly places?: TemplatePlaces | undefined;
  /** What `${userHome}` stands for in a file of VS Code, where `${workspaceFolder}` is the root. Default nothing. */
  readonly home?: string | undefined;
}

/** How texts are read. */
export interface CheckOptions {
  /**
   * What `${NAME}` stands for. Default none: each `${NAME}` without a default is then an issue. With `keep` the texts of
   * servers still hold `${NAME}`, and `$${` for a literal `${`: what a file of a host app is written from.
   */
  readonly variables?: VariablePolicy | undefined;
}

/** What is wrong with the texts, and what is sound in them. */
export interface ConfigCheck {
  /**
   * Everything that is wrong, in the order of the inputs and of the lines in them. Of one text at most 1,000 errors and
   * 1,000 warnings, and then a last issue `too-many-issues` that says how many more there are.
   */
  readonly issues: readonly ConfigIssue[];
  /** There unless an issue has severity `error`. */
  readonly config: Config | undefined;
  /**
   * `config` without the servers that have an error, for a program that would rather run the others than nothing. Not
   * there when an error may be about more than single servers, such as a text that cannot be read or a wrong rule.
   */
  readonly partial: Config | undefined;
  /** Where each value that counts was written, by its path as in `mcp_servers.git.args[0]`. Computed when first read. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /**
   * The entry of each sound server as its text says it, by the server's name: what a person agrees to before a project's
   * server starts. Computed when first read.
   */
  readonly launches: ReadonlyMap<string, WrittenLaunch>;
  /**
   * Knows the values of all variables that the texts refer to, and of the secrets that are written into them, to keep
   * both out of what is printed.
   */
  readonly redactor: Redactor;
}

/**
 * Checks texts that belong together and says everything that is wrong with them. Content never makes it throw.
 *
 * @param inputs - What each text is follows from the keys at its top: `mcp_servers` and `mcp_settings`, `tools`,
 *   `mcpServers`, or `servers`.
 * @throws {TypeError} The call itself is wrong: no input, or a `text` that is not a string.
 */
export function checkConfig(inputs: ConfigInput | readonly ConfigInput[], options: CheckOptions = {}): ConfigCheck {
  return checkInputs(resolveInputs(inputs), options);
}

export interface InputsOptions extends CheckOptions {
  /** Whose values the redactor knows. Default: `variables`, if it is not `keep`. */
  readonly hidden?: TemplateVariables | undefined;
}

/** `checkConfig` for inputs that are known to be sound; there may be none. */
export function checkInputs(inputs: readonly ConfigInput[], { variables = {}, hidden }: InputsOptions): ConfigCheck {
  const texts = inputs.map(({ text, file, layer = 'explicit', places = {}, home }) => ({
    source: new SourceText(text, file),
    layer,
    places,
    home,
  }));
  const readable = texts.filter(({ source }) => source.isReadable);
  const recognised = readable.flatMap(({ source, layer }) => readConfigFile(source, layer) ?? []);
  const files = withoutProjectRoles(strongestFirst(recognised));

  const settings = resolveSettings(files);
  const inputOf = new Map(texts.map((text) => [text.source, text]));
  const servers = resolveServers(files, settings, ({ source, kind }) => {
    const { places = {}, home } = inputOf.get(source) ?? {};
    return { variables, places, vscode: kind === 'vscode-json' ? { home } : undefined };
  });
  const { tools, roles } = resolveTools(files);
  checkIgnoredKeys(files);
  checkCommands(files);
  checkGateway(files);
  checkTiers(files);
  checkStars(files);
  checkDeadRules(files);
  checkPackages(files);
  checkPublicNames(files);
  checkSecrets(files);
  // A text that could not be read may hold the very servers that would be missed.
  if (files.length === texts.length) checkServerNames(files);
  checkRoles(files, { isWhole: files.length === texts.length });
  checkToolNames(files);
  checkReplacedServers(files);

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
    partial: files.length === texts.length ? withoutFaultyServers(all, files) : undefined,
    get origins() {
      origins ??= originsOf(files);
      return origins;
    },
    get launches() {
      launches ??= writtenLaunches(files, servers);
      return launches;
    },
    get redactor() {
      redactor ??= redactorOf(inline).with(
        secretValues(
          texts.map(({ source }) => source),
          hidden ?? (variables === 'keep' ? {} : variables),
        ),
      );
      return redactor;
    },
  };
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
    if (input.layer !== undefined && !isLayer(input.layer)) {
      throw new TypeError('inputs.layer must be explicit, project or user');
    }
  }
  return list;
}

function isList(inputs: ConfigInput | readonly ConfigInput[]): inputs is readonly ConfigInput[] {
  return Array.isArray(inputs);
}
