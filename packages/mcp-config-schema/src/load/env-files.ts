import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { realPath, relativeInside } from '@x/internal/files';
import { textLimits } from '@x/internal/syntax';
import { ConfigError, isConfigError } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { tooManyIssues } from '../source/source-text.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { cannotExamine, kindOf, readFileText } from './file-access.js';
import { isPlanted } from './planted.js';

/** The `.env` file beside a config file. It fills variables of that config file only. */
export interface EnvFile {
  /** Directory of the file and root of the config files that it fills. */
  readonly root: string;
  readonly text: string;
  readonly values: TemplateVariables;
  readonly issues: readonly ConfigIssue[];
}

interface EnvFilePlace {
  readonly root: string;
  /** File name in issues. */
  readonly shown: string;
  /** True for a root that the user alone decides on. */
  readonly isOfUser: boolean;
}

export function envFilePath(root: string): string {
  return join(root, '.env');
}

/**
 * @returns `undefined` without such a file.
 * @throws {ConfigError} `unreadable`
 */
export async function readEnvFile({ root, shown, isOfUser }: EnvFilePlace): Promise<EnvFile | undefined> {
  const path = envFilePath(root);
  if ((await kindOf(path)) !== 'file') return undefined;
  const refuse = (fault: Fault): EnvFile => ({
    root,
    text: '',
    values: {},
    issues: [{ ...fault, severity: 'warning', file: shown, line: 1, column: 1, path: [] }],
  });
  // A project could otherwise read the values of another one through a link.
  if (!isOfUser && relativeInside(await targetOf(path), realPath(root)) === undefined) return refuse(outside);
  const { text, owner, mode } = await readFileText(path);
  if (process.platform !== 'win32' && (await mayBeOfStranger(path, owner, mode))) return refuse(untrusted);
  return { root, text, ...parseEnvText(text, shown) };
}

/**
 * Reads files that the user named, which may be links and belong to others.
 *
 * @returns The values of all files; of two values of one name, that of the later file.
 * @throws {ConfigError} `unreadable`
 */
export async function readNamedEnvFiles(paths: readonly string[], cwd: string): Promise<NamedEnvFiles> {
  const read = paths.map(async (path) => {
    const kind = await kindOf(path);
    if (kind === 'missing') throw new ConfigError('unreadable', `The file of variables ${path} does not exist`);
    if (kind === 'directory') throw new ConfigError('unreadable', `${path} is a directory, not a file of variables`);
    return parseEnvText((await readFileText(path)).text, relativeInside(path, cwd) ?? path);
  });
  const files = await Promise.all(read);
  return {
    values: Object.assign({}, ...files.map(({ values }) => values)) as TemplateVariables,
    issues: files.flatMap(({ issues }) => issues),
  };
}

/** Values of the files that `envFiles` names. */
export type NamedEnvFiles = Pick<EnvFile, 'values' | 'issues'>;

type Fault = Pick<ConfigIssue, 'message' | 'hint'> & { readonly code: 'outside-project' | 'untrusted-file' };

const outside: Fault = {
  code: 'outside-project',
  message: 'This .env file is a link out of its directory, so it is not read',
  hint: 'replace the link by a file',
};

const untrusted: Fault = {
  code: 'untrusted-file',
  message: 'Another user of this machine can change this .env file, so it is not read',
  hint: 'become its owner, and restrict its permissions, for example with chmod 600',
};

async function targetOf(path: string): Promise<string> {
  return realpath(path).catch((cause: unknown) => {
    throw cannotExamine(path, cause);
  });
}

async function mayBeOfStranger(path: string, owner: number, mode: number): Promise<boolean> {
  if ((mode & 0o002) !== 0) return true;
  const user = process.getuid?.();
  if (user === undefined) return false;
  const [link, directory] = await Promise.all([lstat(path), lstat(dirname(path))]).catch((cause: unknown) => {
    throw isConfigError(cause) ? cause : cannotExamine(path, cause);
  });
  return isPlanted({ owners: [owner, link.uid], directoryModes: [directory.mode] }, user);
}

const assignment = /^[ \t]*(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_]*[ \t]*=[ \t]*/;

const maxIssues = 20;

/** Values as `node --env-file` reads them, and issues for lines that it would silently ignore. */
export function parseEnvText(text: string, file: string): Pick<EnvFile, 'values' | 'issues'> {
  if (Buffer.byteLength(text) > textLimits.bytes) return { values: {}, issues: [tooLarge(file)] };
  const normal = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const issues: ConfigIssue[] = [];
  let count = 0;
  let lastLine = 0;
  const report = (line: number, column: number, message: string, hint: string): void => {
    count++;
    lastLine = line;
    if (count > maxIssues) return;
    issues.push({ code: 'syntax', severity: 'error', message, hint, file, line, column, path: [] });
  };
  const lines = normal.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const name = assignment.exec(line)?.[0];
    if (name === undefined) {
      report(index + 1, line.search(/\S/) + 1, 'The line is not NAME=value', 'begin a comment with #');
      continue;
    }
    const quote = /^["'`]/.exec(line.slice(name.length))?.[0];
    if (quote === undefined) continue;
    const end = endOfQuote(lines, index, name.length + 1, quote);
    if (end === undefined)
      report(index + 1, name.length + 1, `The quote ${quote} is not closed`, `add ${quote} at the end`);
    else index = end;
  }
  const more = count - maxIssues;
  if (more > 0) {
    const message = `There ${more === 1 ? 'is one more issue' : `are ${more} more issues`} in this file than are listed`;
    issues.push(
      tooManyIssues({ file, line: lastLine, column: 1 }, { severity: 'error', message, limit: maxIssues, more }),
    );
  }
  return { values: count === 0 ? parseEnv(normal) : {}, issues };
}

function tooLarge(file: string): ConfigIssue {
  const limit = textLimits.bytes;
  const message = `The .env file has more than ${limit} bytes, so it is not read`;
  const hint = 'move large values to files of their own';
  return {
    code: 'too-large',
    severity: 'error',
    message,
    hint,
    limit,
    unit: 'bytes',
    file,
    line: 1,
    column: 1,
    path: [],
  };
}

/** Index of the line with the closing quote. */
function endOfQuote(lines: readonly string[], first: number, from: number, quote: string): number | undefined {
  for (let index = first; index < lines.length; index++) {
    if (lines[index]?.includes(quote, index === first ? from : 0)) return index;
  }
  return undefined;
}
