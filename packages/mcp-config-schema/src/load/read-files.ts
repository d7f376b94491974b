import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { relativeInside } from '@x/internal/files';
import type { ConfigLayer } from '../config.js';
import { isConfigError } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { ownValue } from '../template/expand-template.js';
import { type EnvFile, envFilePath, type NamedEnvFiles, readEnvFile, readNamedEnvFiles } from './env-files.js';
import { cannotExamine, readFileText } from './file-access.js';
import { type FoundFile, findFiles, projectRootOf } from './find-files.js';
import type { GivenText } from './given-texts.js';
import type { LoadPolicy } from './load-options.js';
import { isPlanted } from './planted.js';

export interface ReadFile {
  readonly path: string;
  /** File name in issues. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** Absolute start of relative paths in the text. */
  readonly root: string;
  readonly text: string;
  readonly mode: number;
  /** True for a text that is not the content of the file. */
  readonly isGiven: boolean;
}

export interface ReadFiles {
  readonly files: readonly ReadFile[];
  readonly envFiles: readonly EnvFile[];
  readonly namedEnv: NamedEnvFiles;
  /** One issue for each file that was found but not read. */
  readonly refusals: readonly ConfigIssue[];
}

/**
 * @param triedPaths - Receives each tried path, also on an error.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function readFiles(policy: LoadPolicy, triedPaths?: Set<string>): Promise<ReadFiles> {
  const files: ReadFile[] = [];
  const refusals: ConfigIssue[] = [];
  const [found, given] = await findAll(policy, triedPaths);
  for (const file of found) {
    const { path, layer } = file;
    const shown = relativeInside(path, policy.cwd) ?? path;
    const { text: saved, mode, owner } = await readFileText(path);
    const text = ownValue(policy.unsaved, path) ?? saved;
    const refusal = await refusalOf(file, owner, shown);
    if (refusal === undefined)
      files.push({ path, shown, layer, root: projectRootOf(path), text, mode, isGiven: false });
    else refusals.push(refusal);
  }
  const envFiles = await readEnvFiles(files, policy, triedPaths);
  for (const { path, layer, root, text } of given) {
    files.push({ path, shown: relativeInside(path, policy.cwd) ?? path, layer, root, text, mode: 0, isGiven: true });
  }
  for (const path of policy.namedEnvFiles) triedPaths?.add(path);
  const namedEnv = await readNamedEnvFiles(policy.variables === 'keep' ? [] : policy.namedEnvFiles, policy.cwd);
  return { files, refusals, envFiles, namedEnv };
}

/** @throws {ConfigError} `config-not-found`: there are neither files nor given texts. */
async function findAll(
  policy: LoadPolicy,
  triedPaths?: Set<string>,
): Promise<readonly [readonly FoundFile[], readonly GivenText[]]> {
  const { given } = policy;
  const readGiven = async (): Promise<readonly GivenText[]> => {
    const { texts = [], paths = [] } = (await given?.read()) ?? {};
    for (const path of paths) triedPaths?.add(path);
    return texts;
  };
  try {
    const found = await findFiles(policy, triedPaths);
    return [found, given?.when === 'always' ? await readGiven() : []];
  } catch (error) {
    const isMissing = isConfigError(error) && error.code === 'config-not-found' && policy.files.length === 0;
    const texts = isMissing ? await readGiven() : [];
    if (texts.length === 0) throw error;
    return [[], texts];
  }
}

/** Files beside configs without a variable are those of other programs. */
async function readEnvFiles(
  files: readonly ReadFile[],
  { cwd, variables }: LoadPolicy,
  triedPaths?: Set<string>,
): Promise<readonly EnvFile[]> {
  const filled = files.filter(({ text }) => variables === 'expand' && /\$\{|\{\{/.test(text));
  const roots = new Set(filled.map(({ root }) => root));
  const read = Array.from(roots, (root) => {
    const path = envFilePath(root);
    triedPaths?.add(path);
    const isOfUser = filled.every((file) => file.root !== root || file.layer === 'user');
    return readEnvFile({ root, shown: relativeInside(path, cwd) ?? path, isOfUser });
  });
  return (await Promise.all(read)).filter((file) => file !== undefined);
}

/**
 * The issue of a found file that must not be read.
 *
 * @throws {ConfigError} `unreadable`: the file has disappeared.
 */
export async function refusalOf(
  { path, layer, foundIn }: FoundFile,
  owner: number,
  shown: string,
): Promise<ConfigIssue | undefined> {
  const user = process.getuid?.();
  if (user === undefined || layer === 'explicit') return undefined; // on Windows, or for a path given by the user
  const lookups = [lstat(path), ...directoriesBetween(path, foundIn).map((directory) => stat(directory))] as const;
  const [link, ...directories] = await Promise.all(lookups).catch((cause: unknown) => {
    throw cannotExamine(path, cause);
  });
  const directoryModes = directories.map(({ mode }) => mode);
  return isPlanted({ owners: [owner, link.uid], directoryModes }, user) ? untrusted(shown) : undefined;
}

function directoriesBetween(path: string, foundIn: string): readonly string[] {
  const directory = dirname(path);
  return directory === foundIn ? [directory] : [directory, foundIn];
}

function untrusted(file: string): ConfigIssue {
  return {
    code: 'untrusted-file',
    severity: 'error',
    message: 'The file belongs to another user and is in a world-writable directory, so it is not read',
    hint: 'if you trust the file, become its owner or name it explicitly',
    file,
    line: 1,
    column: 1,
    path: [],
  };
}
