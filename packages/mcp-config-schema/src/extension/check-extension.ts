import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { createRedactor, type Redactor, redactorOf } from '@x/internal/secrets';
import { checkCommands, checkPackages } from '../checks/check-commands.js';
import { checkIgnoredKeys } from '../checks/check-ignored-keys.js';
import { checkToolNames } from '../checks/check-names.js';
import { checkSecrets, type InlineSecrets, inlineSecretsIn } from '../checks/check-secrets.js';
import type { ServerConfig } from '../config.js';
import { type ConfigFile, readConfigFile } from '../config-file.js';
import { ConfigError, invalidConfig } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { cannotExamine, kindOf, readText } from '../load/file-access.js';
import { hideInIssues, secretValues } from '../secrets/secret-values.js';
import { resolveServers, resolveSettings } from '../servers/resolve-servers.js';
import { SourceText } from '../source/source-text.js';
import { escapeReferences } from '../template/expand-template.js';
import { type ExtensionOptions, type ResolvedOptions, resolveOptions } from './extension-options.js';
import { findOwnPaths, findPython } from './gather-facts.js';
import { liesIn } from './inside-folder.js';
import { mcpPath, readManifest, reportOutside } from './read-manifest.js';
import { type LaunchFacts, pathsToFind, resolveLaunch } from './resolve-launch.js';

/** An extension with its servers. */
export interface ResolvedExtension {
  readonly folder: string;
  /** Absolute path of the manifest. */
  readonly manifest: string;
  /** In file order. Empty for an extension without servers. */
  readonly servers: readonly ExtensionServer[];
}

/** A server of an extension. Valid as a server of a configuration and of a host app. */
export type ExtensionServer = ServerConfig & {
  /** False if the extension's file disables the server. */
  readonly enabled: boolean;
};

/** Result of checking an extension. */
export interface ExtensionCheck {
  /** All issues, those of the manifest first. */
  readonly issues: readonly ConfigIssue[];
  /** Missing if an issue has severity `error`. */
  readonly extension: ResolvedExtension | undefined;
  /** For `formatIssue`, by file name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Redacts variables in the texts and literal secrets. */
  readonly redactor: Redactor;
}

/**
 * Reads the manifest and the servers file of an extension, and resolves the commands for one project.
 *
 * @param folder - Relative to the current directory.
 * @throws {ConfigError} `invalid-config` with all issues, `config-not-found` or `unreadable`.
 */
export async function resolveExtension(folder: string, options: ExtensionOptions): Promise<ResolvedExtension> {
  const { extension, issues } = await checkExtension(folder, options);
  if (extension === undefined) throw invalidConfig(issues);
  return extension;
}

/**
 * Like `resolveExtension`, but returns the issues and their texts.
 *
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function checkExtension(folder: string, options: ExtensionOptions): Promise<ExtensionCheck> {
  const resolved = resolveOptions(folder, options);
  const manifestPath = await findManifest(resolved.folder, resolved.manifest);
  const manifest = await readSource(manifestPath);
  const texts = new Map([[manifestPath, manifest.text]]);
  const sources = [manifest.source];
  const finish = (servers: readonly ExtensionServer[], inline?: InlineSecrets): ExtensionCheck => {
    const hidden = inline === undefined ? createRedactor() : redactorOf(inline);
    const found = sources.flatMap((source) => source.issues);
    const hasErrors = found.some((issue) => issue.severity === 'error');
    return {
      issues: inline === undefined ? found : hideInIssues(found, hidden),
      extension: hasErrors ? undefined : { folder: resolved.folder, manifest: manifestPath, servers },
      texts,
      redactor: hidden.with(secretValues(sources, resolved.env)),
    };
  };

  const manifestData = readManifest(manifest.source);
  const given = manifestData?.provides?.mcp;
  const file = given === undefined ? undefined : await findServersFile(given, resolved.folder, manifest.source);
  if (file === undefined) return finish([]);

  const { source, text } = await readSource(file);
  texts.set(file, text);
  sources.push(source);
  const read = source.isReadable ? readConfigFile(source, { layer: 'explicit' }) : undefined;
  if (read === undefined) return finish([]);
  const servers = await resolveServersOf(read, { ...resolved, rootVariable: manifestData?.root_variable });
  return finish(servers, inlineSecretsIn([read]));
}

/** Requires that the real path is in the folder. */
async function findServersFile(given: string, folder: string, source: SourceText): Promise<string | undefined> {
  const path = fileInFolder(folder, given);
  if ((await kindOf(path)) !== 'file') {
    const message = 'The file with MCP servers does not exist';
    source.report({ code: 'missing-file', severity: 'error', message, given, hint: `expected ${path}` }, mcpPath);
    return undefined;
  }
  const [realPath, realFolder] = await Promise.all([realpath(path), realpath(folder)]).catch((cause: unknown) => {
    throw cannotExamine(path, cause);
  });
  if (liesIn(realPath, realFolder, sep)) return path;
  reportOutside(source, given);
  return undefined;
}

interface ServersScope extends ResolvedOptions {
  readonly rootVariable: string | undefined;
}

async function resolveServersOf(read: ConfigFile, options: ServersScope): Promise<readonly ExtensionServer[]> {
  const { root, folder, env, platform, variables, node, rootVariable } = options;
  const { source } = read;
  if (read.kind === 'tools') reportNoServers(source);
  checkIgnoredKeys([read]);
  checkCommands([read]);
  checkToolNames([read]);
  checkPackages([read]);
  checkSecrets([read]);
  const isHostFile = read.kind === 'mcp-json' || read.kind === 'vscode-json';
  // Escaped, because the name of a folder must not add a variable that a host expands.
  const asText = variables === 'keep' ? escapeReferences : (text: string) => text;
  const python = await findPython([folder, root], { platform, env });
  const servers = resolveServers([read], resolveSettings([read]), ({ kind }) => ({
    variables: variables === 'keep' ? 'keep' : env,
    unsetVariables: 'error',
    places: { root, 'runtime.python': python, 'runtime.node': node },
    vscode: kind === 'vscode-json' ? { home: platform === 'win32' ? env.USERPROFILE : env.HOME } : undefined,
  }));
  const ownPaths = await findOwnPaths(
    servers.flatMap((server) => (server.transport === 'stdio' ? pathsToFind(server) : [])),
    { folder, root },
  );
  const facts: LaunchFacts = {
    platform,
    root: asText(root),
    folder: asText(folder),
    python: python === undefined ? undefined : asText(python),
    rootVariable,
    ownPaths,
  };
  return servers.map((server): ExtensionServer => {
    const enabled = !server.disabled && (!isHostFile || server.autoStart);
    if (server.transport === 'http') return { ...server, enabled };
    const { lacksPython, ...launch } = resolveLaunch(server, facts);
    if (lacksPython) reportNoPython(source, [read.section, server.name, 'command'], server.command);
    return { ...server, ...launch, enabled };
  });
}

function reportNoServers(source: SourceText): void {
  const expected = ['mcpServers', 'servers', 'mcp_servers'];
  const message = 'The file that the manifest names lists tools, not MCP servers';
  const hint = `expected one of ${expected.join(', ')} at its top`;
  source.report({ code: 'unrecognised-file', severity: 'error', message, expected, hint }, []);
}

function reportNoPython(source: SourceText, path: readonly string[], command: string): void {
  const message = `No virtual environment was found for "${command}", which stays unchanged`;
  const hint = 'create one in the extension, for example with "uv sync" or "python3 -m venv .venv"';
  source.report({ code: 'no-virtual-environment', severity: 'warning', message, command, hint }, path);
}

const manifestNames = ['extension.toml', 'extension.yaml', 'extension.yml', 'extension.json'];

/**
 * @param given - Relative to the folder. Default: the usual names.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
async function findManifest(folder: string, given: string | undefined): Promise<string> {
  if ((await kindOf(folder)) !== 'directory') {
    throw new ConfigError('config-not-found', `The extension folder ${folder} does not exist`);
  }
  for (const name of given === undefined ? manifestNames : [given]) {
    const path = resolve(folder, name);
    const kind = await kindOf(path);
    if (kind === 'file') return path;
    if (kind !== 'missing') throw new ConfigError('unreadable', `${path} is not a file`);
  }
  throw new ConfigError(
    'config-not-found',
    `There is no manifest in ${folder}.
Looked for ${given ?? manifestNames.join(', ')}.
The smallest extension.toml that works:

provides.mcp = "mcp.json"
`,
  );
}

/** @throws {ConfigError} `unreadable` */
async function readSource(path: string): Promise<{ readonly source: SourceText; readonly text: string }> {
  const text = await readText(path);
  return { source: new SourceText(text, path), text };
}

function fileInFolder(folder: string, given: string): string {
  return join(folder, ...given.split(/[/\\]/));
}
