import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { canonicalJson } from '@x/internal/json';
import type { Launch } from '@x/mcp-client-manager';
import type { ServerConfig, WrittenLaunch } from '@x/mcp-config-schema';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import { realPath } from '../real-path.js';
import { shownWord } from './shown-word.js';

/** A server whose launch needs a person's consent. */
export interface LaunchToConfirm {
  readonly server: string;
  /** The project that the config file belongs to. Absolute, without links. */
  readonly directory: string;
  /** The config file, absolute. */
  readonly file: string;
  readonly line: number;
  /** Stands for everything that the file says about the launch. Holds no value. */
  readonly digest: string;
  /** What would run, for a terminal. Known secrets are starred out. */
  readonly lines: readonly string[];
}

export interface LaunchPlace {
  readonly cwd: string;
  /** Directory of the user's own config: what is written there is trusted. `undefined`: there is none. */
  readonly userDirectory: string | undefined;
}

/**
 * The servers of a config that a person has to agree to, by name: every one that runs a command or looks something up for the
 * address it connects to, unless the user wrote it into their own config directory.
 */
export function launchesToConfirm(config: LoadedConfig, place: LaunchPlace): ReadonlyMap<string, LaunchToConfirm> {
  const found = config.servers.flatMap((server) => {
    const written = config.launches.get(server.name);
    const file = fileOf(server, place.cwd);
    if (!needsConsent(server, written) || isOfUser(server, file, place)) return [];
    const launch: LaunchToConfirm = {
      server: server.name,
      directory: projectOf(realPath(file)),
      file,
      line: server.source.line,
      digest: digestOf(server, written),
      lines: linesOf(server, config),
    };
    return [[server.name, launch] as const];
  });
  return new Map(found);
}

/**
 * What stands for the entry of each server: who declares it (the user, or a project by its directory) and how it is launched. By
 * name; holds no value.
 */
export function entriesOf(config: LoadedConfig, { cwd }: Pick<LaunchPlace, 'cwd'>): ReadonlyMap<string, string> {
  return new Map(
    config.servers.map((server) => {
      const owner = server.layer === 'user' ? 'user' : projectOf(realPath(fileOf(server, cwd)));
      const parts = JSON.stringify([owner, digestOf(server, config.launches.get(server.name))]);
      return [server.name, hexDigest(parts, 32)];
    }),
  );
}

/** What tells one resolved launch of a config from another. Holds values; never written down. */
export function launchKey(launch: Launch | ServerConfig): string {
  const name = 'server' in launch ? launch.server : launch.name;
  const secrets = (launch.secrets ?? []).map(({ key, reference }) => [key, reference]);
  if (launch.transport === 'http') return canonicalJson({ name, url: launch.url, headers: launch.headers, secrets });
  const { command, args, env, cwd } = launch;
  return canonicalJson({ name, command, args, env, cwd, secrets });
}

/** An address alone runs nothing and reads nothing. A variable or a reference in it, or in a header, sends what it stands for. */
function needsConsent({ transport }: ServerConfig, written: WrittenLaunch | undefined): boolean {
  if (transport === 'stdio' || written === undefined) return true;
  const values = [written.url ?? '', ...Object.values(written.headers ?? {})];
  return values.some((value) => typeof value !== 'string' || /\$\{|\{\{/.test(value));
}

function isOfUser({ layer }: ServerConfig, file: string, { userDirectory }: LaunchPlace): boolean {
  if (layer === 'user') return true;
  if (userDirectory === undefined) return false;
  const path = relative(realPath(userDirectory), realPath(file));
  return path !== '' && !path.startsWith('..') && !isAbsolute(path);
}

function fileOf({ source }: ServerConfig, cwd: string): string {
  return resolve(cwd, source.file ?? '');
}

/** As `loadConfig` has it: the directory of the file, or the one above when the file lies in `config` or `.vscode`. */
function projectOf(file: string): string {
  const directory = dirname(file);
  return ['config', '.vscode'].includes(basename(directory)) ? dirname(directory) : directory;
}

function digestOf(server: ServerConfig, written: WrittenLaunch | undefined): string {
  const { command, args, cwd, env, url, headers, auth } = written ?? {};
  const launch = written === undefined ? launchKey(server) : { command, args, cwd, env, url, headers, auth };
  return hexDigest(canonicalJson([1, server.name, launch]));
}

function linesOf(server: ServerConfig, { redactor }: Pick<LoadedConfig, 'redactor'>): readonly string[] {
  const word = (text: string): string => shownWord(redactor.redact(text));
  const pairs = (label: string, values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).map(([key, value]) => `${label.padEnd(9)}${shownWord(key)}=${word(value)}`);
  const secrets = (server.secrets ?? []).map(
    ({ key, reference }) => `${'secret'.padEnd(9)}${shownWord(key)} from ${word(reference)}`,
  );
  if (server.transport === 'http') {
    return [`connects ${word(server.url)}`, ...pairs('header', server.headers), ...secrets];
  }
  const { command, args, env, cwd } = server;
  return [
    `runs     ${[command, ...args].map(word).join(' ')}`,
    ...(cwd === undefined ? [] : [`in       ${word(cwd)}`]),
    ...pairs('env', env),
    ...secrets,
  ];
}
