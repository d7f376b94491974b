import { resolve } from 'node:path';
import { hexDigest, realPath, relativeInside } from '@x/internal/files';
import { canonicalJson } from '@x/internal/json';
import { isSecretName, secretsIn } from '@x/internal/secrets';
import type { ServerConfig } from '../config.js';
import type { LoadedConfig } from '../load/load-config.js';
import { parseTemplate } from '../template/parse-template.js';
import type { WrittenLaunch } from '../written-launch.js';
import { agreedLines, agreedParts, line, shownWord } from './entry-fields.js';

/** A server whose launch requires consent. */
export interface LaunchToConfirm {
  readonly server: string;
  /** True for a server with a URL. */
  readonly isRemote: boolean;
  /** Project directory: base of the entry's relative paths. Absolute, links resolved. */
  readonly directory: string;
  /** Absolute path of the config file. */
  readonly file: string;
  readonly line: number;
  /** Digest of everything that requires consent. Contains no secret. */
  readonly digest: string;
  /** The same for display, as in the file. */
  readonly lines: readonly string[];
}

/** The parts of a loaded config that determine the required consents. */
export type AskedConfig = Pick<LoadedConfig, 'servers' | 'launches' | 'issues'>;

/** Directories that decide whose entry a launch is. */
export interface LaunchPlace {
  /** Start of relative paths of config files. */
  readonly cwd: string;
  /** Directory of the user's own config, whose entries need no consent: see `userConfigDirectory`. */
  readonly userDirectory: string | undefined;
}

/** A launch that a client manager is about to make, with variables filled in and without secrets. */
export type RequestedLaunch = RequestedProcess | RequestedConnection;

interface RequestedProcess extends RequestBase {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

interface RequestedConnection extends RequestBase {
  readonly transport: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: object | undefined;
}

interface RequestBase {
  readonly server: string;
  readonly secrets: readonly { readonly key: string; readonly reference: string }[];
}

/** Launches that require consent, by server: all outside the user's own config directory. */
export function launchesToConfirm(config: AskedConfig, place: LaunchPlace): ReadonlyMap<string, LaunchToConfirm> {
  const asked = config.servers.filter((server) => !isOfUser(server, place));
  return new Map(asked.map((server) => [server.name, launchOf(server, config, place)]));
}

/**
 * The same with links of working directories resolved, for the manager and the gate: a process runs where its consent
 * says, even if a link changes later.
 */
export function inRealDirectories(config: LoadedConfig): LoadedConfig {
  const servers = config.servers.map((server) =>
    server.transport === 'http' || server.cwd === undefined ? server : { ...server, cwd: realPath(server.cwd) },
  );
  return { ...config, servers };
}

/** Digest of each server's launch and its owner: the user, or a project directory. Contains no secret. */
export function entriesOf(config: AskedConfig): ReadonlyMap<string, string> {
  return new Map(
    config.servers.map(({ name, layer }) => {
      const written = writtenOf(name, config);
      const owner = layer === 'user' ? 'user' : rootOf(written);
      const { command, args, cwd, env, url, headers, auth } = written;
      const launch = hash([1, name, { command, args, cwd, env, url, headers, auth }]);
      return [name, hexDigest(JSON.stringify([owner, launch]), 32)];
    }),
  );
}

/** Identifies one resolved launch of a config. Contains secrets; must never be stored. */
export function launchKey(launch: RequestedLaunch | ServerConfig): string {
  const name = 'server' in launch ? launch.server : launch.name;
  const secrets = (launch.secrets ?? []).map(({ key, reference }) => [key, reference]);
  if (launch.transport === 'http') {
    const { url, headers, auth } = launch;
    return canonicalJson({ name, url, headers, secrets, auth });
  }
  const { command, args, env, cwd } = launch;
  return canonicalJson({ name, command, args, env, cwd, secrets });
}

function launchOf(server: ServerConfig, config: AskedConfig, { cwd }: LaunchPlace): LaunchToConfirm {
  const { name, source, logDirectory } = server;
  const written = writtenOf(name, config);
  const directory = rootOf(written);
  const runsIn = directoryOf(server, written);
  const replaces = replacedBy(name, config);
  // Only an explicitly named file can write logs outside its project: see `outside-project`.
  const isElsewhere = logDirectory !== undefined && !isBelow(logDirectory, resolve(written.root ?? ''));
  const logs = isElsewhere ? logDirectory : undefined;
  return Object.freeze({
    server: name,
    isRemote: written.url !== undefined,
    directory,
    file: resolve(cwd, source.file ?? ''),
    line: source.line,
    digest: hash([
      2,
      name,
      agreedParts(written, runsIn),
      { logs, replaces: replaces !== undefined, ...(written.filled && { filled: hash(written.filled) }) },
    ]),
    lines: [
      ...agreedLines(written, runsIn),
      ...Object.entries(written.filled ?? {}).map((variable) => line('.env', filledWord(variable, written))),
      ...(logs === undefined ? [] : [line('logs', 'to', shownWord(logs))]),
      ...(replaces === undefined ? [] : [line('replaces', 'your own server of this name in', shownWord(replaces))]),
    ],
  });
}

/** With the value, unless it fills only variables or headers that a secret is for, such as `API_TOKEN`. */
function filledWord([name, value]: readonly [string, string], written: WrittenLaunch): string {
  const { words, cwd = '', url = '', env = {}, headers = {} } = written;
  const isFilled = (text: unknown): boolean =>
    typeof text === 'string' && parseTemplate(text).some((part) => part.kind === 'variable' && part.variable === name);
  const keys = Object.entries({ ...headers, ...env }).flatMap(([key, text]) => (isFilled(text) ? [key] : []));
  // A word such as `eval "$API_TOKEN"` runs the value.
  const isRun = (key: string): boolean => words.some((word) => word.includes(key) && word !== key);
  const isPlainHeader = (key: string): boolean => Object.hasOwn(headers, key) && !isSecretName(key);
  const decides =
    [...words, cwd, url].some(isFilled) || keys.some((key) => loading.test(key) || isRun(key) || isPlainHeader(key));
  if (decides) return `${name}=${shownWord(value)}`;
  return keys.every(isSecretName) ? name : `${name}=${shownWord(withoutToken(value))}`;
}

/** Variables that name code or options for a program. */
const loading = /PATH|OPTION|OPTS|ARGS|FLAGS|PRELOAD|INSERT|STARTUP|HOME|SHELL|^(?:BASH_)?ENV$/i;

/**
 * Masks a value that is entirely a key of a known shape, except for its start, and the password of a URL. Programs,
 * options and paths stay, under any name.
 */
function withoutToken(value: string): string {
  const isToken = [...secretsIn(value)].some(({ start, end }) => start === 0 && end === value.length);
  if (isToken && /^[\w.~+=-]+$/.test(value)) return `${value.slice(0, 4)}***`;
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/[\w.~%+-]*:)[\w.~%+=!*-]+(?=@)/i, '$1***');
}

/** True for entries in the user's config directory, unless a link leads into or out of it. */
function isOfUser({ layer, source }: ServerConfig, { cwd, userDirectory }: LaunchPlace): boolean {
  if (layer === 'user') return true;
  if (userDirectory === undefined) return false;
  const file = resolve(cwd, source.file ?? '');
  const own = realPath(userDirectory);
  return (isBelow(file, userDirectory) || isBelow(file, own)) && isBelow(realPath(file), own);
}

/** False for the directory itself. */
function isBelow(path: string, directory: string): boolean {
  return Boolean(relativeInside(path, directory));
}

function writtenOf(server: string, { launches }: AskedConfig): WrittenLaunch {
  const written = launches.get(server);
  if (written === undefined) throw new Error(`The entry of the server "${server}" is not known`);
  return written;
}

function rootOf({ root = '' }: WrittenLaunch): string {
  return realPath(resolve(root));
}

/** The directory in which the process will run, with links resolved; as written if it contains a variable. */
function directoryOf(server: ServerConfig, { cwd = '.', root = '' }: WrittenLaunch): string | undefined {
  if (server.transport === 'http') return undefined;
  return /\$\{|\{\{/.test(cwd) ? cwd : realPath(server.cwd ?? resolve(root, cwd));
}

function replacedBy(server: string, { issues }: AskedConfig): string | undefined {
  const found = issues.find((issue) => issue.code === 'replaced-server' && issue.server === server);
  if (found?.code !== 'replaced-server') return undefined;
  const { file = '', line: at } = found.replaced;
  return `${file}:${at}`;
}

function hash(data: unknown): string {
  return hexDigest(canonicalJson(data));
}
