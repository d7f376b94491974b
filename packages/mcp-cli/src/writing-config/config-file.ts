import { basename, dirname, extname, join, resolve } from 'node:path';
import { relativeInside } from '@x/internal/files';
import {
  type ConfigInput,
  type ConfigIssue,
  type ConfigLayer,
  checkConfig,
  type McpSettings,
  type Redactor,
} from '@x/mcp-config-schema';
import { checkFiles, type FilesCheck, userConfigDirectory } from '@x/mcp-config-schema/load';
import {
  type DocumentShape,
  type HostDialect,
  isHostFileError,
  type JsonValue,
  readEntries,
  readKeys,
} from '@x/mcp-host-sync/edit';
import { CommandError, type CommonOptions, exitCodes, type Io, UsageError } from '../command.js';
import type { ScopeChoice } from '../host-apps/hosts.js';
import { didYouMean } from '../output/print.js';

/** Options of the commands that change a config. */
export interface ChangeOptions extends CommonOptions {
  /** Default: the project's file, else the user's. */
  readonly scope?: ScopeChoice | undefined;
  readonly global?: boolean;
  readonly user?: boolean;
  readonly dryRun?: boolean;
}

/** A config file with servers, which may not exist yet. */
export interface ServerFile {
  /** Absolute. */
  readonly path: string;
  /** As in messages. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** `undefined`: the file does not exist. */
  readonly text: string | undefined;
  readonly shape: DocumentShape;
}

/** The files that a command may change, and what a check of all files found. */
export interface FoundConfig {
  /** Strongest first. */
  readonly files: readonly ServerFile[];
  /** All files, those without servers included. */
  readonly inputs: readonly Input[];
  readonly issues: readonly ConfigIssue[];
  /** Missing if an error affects the whole config. */
  readonly settings: McpSettings | undefined;
}

type Input = ConfigInput & { readonly file: string };

/** Reads the config without values of variables. Finding nothing is no error. */
export async function findConfig(options: ChangeOptions, io: Pick<Io, 'cwd' | 'env'>): Promise<FoundConfig> {
  const { config } = options;
  const scope = scopeOf(options);
  const checked = await checkFiles({
    cwd: io.cwd,
    env: io.env,
    variables: 'keep',
    ...(config && { files: config }),
    ...(!config && scope && { layers: [scope] }),
  }).catch(unlessMissing);
  if (checked === undefined) return { files: [], inputs: [], issues: [], settings: undefined };
  const inputs = await Promise.all(Array.from(checked.texts, (entry) => inputOf(entry, config !== undefined, io)));
  const files = inputs.flatMap(({ file, text, layer = 'explicit' }) => {
    const section = sectionOf(file, text);
    if (section === undefined) return [];
    return [{ path: resolve(io.cwd, file), shown: file, layer, text, shape: shapeOf(file, section) }];
  });
  return { files, inputs, issues: checked.issues, settings: (checked.config ?? checked.partial)?.settings };
}

function unlessMissing(error: unknown): FilesCheck | undefined {
  if (error instanceof Error && 'code' in error && error.code === 'config-not-found') return undefined;
  throw error;
}

function scopeOf({ scope, global, user, config }: ChangeOptions): ScopeChoice | undefined {
  const wanted = global || user ? 'user' : scope;
  if (wanted === undefined || config === undefined) return wanted;
  throw new UsageError('A file that is named with --config has no scope. Leave one of the two out.');
}

async function inputOf([file, text]: readonly [string, string], isNamed: boolean, { cwd }: Pick<Io, 'cwd'>) {
  const path = resolve(cwd, file);
  const layer: ConfigLayer = isNamed ? 'explicit' : await foundLayer(path);
  const root = dirname(path);
  return { file, text, layer, places: { root, 'runtime.python': 'python3', 'runtime.node': 'node' } };
}

/** Layer of a file that a search has found. `path`: absolute. */
export async function foundLayer(path: string): Promise<Exclude<ConfigLayer, 'explicit'>> {
  const directory = await userConfigDirectory();
  return directory !== undefined && relativeInside(path, directory) !== undefined ? 'user' : 'project';
}

const sections = ['mcp_servers', 'mcpServers', 'servers'] as const;

/** Key of the servers in a file; `undefined` for a file of tools. */
function sectionOf(file: string, text: string): string | undefined {
  try {
    const keys = readKeys(text, dialectOf(file));
    const section = sections.find((key) => keys.includes(key));
    return section ?? (keys.includes('tools') ? undefined : newSection(file));
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return /^tools\./.test(basename(file)) ? undefined : newSection(file);
  }
}

function newSection(file: string): string {
  return /\.jsonc?$/i.test(file) ? 'mcpServers' : 'mcp_servers';
}

function shapeOf(file: string, section: string): DocumentShape {
  return { dialect: dialectOf(file), keyPath: [section], collection: 'map' };
}

function dialectOf(file: string): HostDialect {
  switch (extname(file).toLowerCase()) {
    case '.json':
    case '.jsonc':
      return 'jsonc';
    case '.toml':
      return 'toml';
    default:
      return 'yaml';
  }
}

/** True for a file in the format of host apps, whose entries have fewer fields. */
export function isHostFormat({ shape }: ServerFile): boolean {
  return shape.keyPath[0] !== 'mcp_servers';
}

/** The file for a new server: the first one that was found, or a new one. */
export async function fileToAddTo(found: FoundConfig, options: ChangeOptions, io: Io): Promise<ServerFile> {
  const [first] = found.files;
  if (first !== undefined) return first;
  const [named] = options.config ?? [];
  if (named !== undefined) return newFile(fileNamed(resolve(io.cwd, named)), 'explicit', io);
  if (scopeOf(options) !== 'user') {
    const [beside] = found.inputs; // a file of tools alone
    const directory = beside === undefined ? io.cwd : dirname(resolve(io.cwd, beside.file));
    return newFile(join(directory, 'mcp_servers.yaml'), 'project', io);
  }
  const directory = await userConfigDirectory();
  if (directory === undefined) {
    throw new CommandError(exitCodes.failed, 'There is no directory for the config of this user.', {
      hint: 'Set HOME to a directory of yours, or name a file with --config.',
    });
  }
  return newFile(join(directory, 'mcp_servers.yaml'), 'user', io);
}

/** A path without a known extension is a directory. */
function fileNamed(path: string): string {
  return /\.(?:ya?ml|jsonc?|toml)$/i.test(path) ? path : join(path, 'mcp_servers.yaml');
}

function newFile(path: string, layer: ConfigLayer, { cwd }: Pick<Io, 'cwd'>): ServerFile {
  const shown = relativeInside(path, cwd) ?? path;
  return { path, shown, layer, text: undefined, shape: shapeOf(path, newSection(path)) };
}

export type Entry = Readonly<Record<string, JsonValue>>;

/** Entries of a file by name. Empty for a file with a syntax error, which the edit reports. */
export function entriesIn({ text = '', shape }: ServerFile): ReadonlyMap<string, Entry> {
  try {
    return readEntries(text, shape) as ReadonlyMap<string, Entry>;
  } catch (error) {
    if (isHostFileError(error)) return new Map();
    throw error;
  }
}

/**
 * The file that has a server.
 *
 * @throws {CommandError} `notFound`: no file has it.
 */
export function fileWith(server: string, { files, issues }: FoundConfig): ServerFile {
  const file = files.find((each) => entriesIn(each).has(server));
  if (file !== undefined) return file;
  const names = [...new Set(files.flatMap((each) => [...entriesIn(each).keys()]))];
  const where = files.map(({ shown }) => shown).join(' and ') || 'any config file';
  const known = names.length > 0 ? `It has ${names.map((name) => `"${name}"`).join(', ')}.` : '';
  const broken = issues.find(({ code }) => code === 'syntax');
  const at =
    broken === undefined ? undefined : `${broken.file ?? ''}:${broken.line}:${broken.column} ${broken.message}.`;
  throw new CommandError(
    exitCodes.notFound,
    `No server is named "${server}" in ${where}. ${didYouMean(server, names)}${known}`.trim(),
    { hint: at ?? 'Run "mcpx status" to see the servers.' },
  );
}

/** New errors that a changed text brings. */
export function newErrors(found: FoundConfig, file: ServerFile, text: string) {
  const { shown, layer } = file;
  const known = found.inputs.some((input) => input.file === shown);
  const changed = {
    file: shown,
    text,
    layer,
    places: { root: dirname(file.path), 'runtime.python': 'python3', 'runtime.node': 'node' },
  };
  const inputs = known
    ? found.inputs.map((input) => (input.file === shown ? { ...input, text } : input))
    : [changed, ...found.inputs];
  const { issues, redactor } = checkConfig(inputs, { variables: 'keep' });
  const before = new Set(found.issues.map(identityOf));
  const fresh = issues.filter((issue) => !before.has(identityOf(issue)));
  return { fresh, redactor } satisfies { fresh: readonly ConfigIssue[]; redactor: Redactor };
}

/** Without the position, which an edit moves. */
function identityOf({ code, file, path, message }: ConfigIssue): string {
  return JSON.stringify([code, file, path, message]);
}
