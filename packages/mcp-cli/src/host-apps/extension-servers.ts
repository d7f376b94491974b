import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { hexDigest, realPath } from '@x/internal/files';
import { type ConfigIssue, formatIssue } from '@x/mcp-config-schema';
import { checkExtension, type ExtensionServer } from '@x/mcp-config-schema/extension';
import { CommandError, exitCodes, type Io } from '../command.js';
import { printNote } from '../output/fit.js';

/**
 * The servers of an extension, resolved for the project in the current directory. Prints warnings on stderr.
 *
 * @throws {CommandError} with every error and the lines around it.
 * @throws {ConfigError} `config-not-found` or `unreadable`.
 */
export async function extensionServers(folder: string, io: Io): Promise<readonly ExtensionServer[]> {
  const options = { root: io.cwd, env: io.env, variables: 'keep' } as const;
  const { issues, extension, texts, redactor } = await checkExtension(resolve(io.cwd, folder), options);
  const textOf = (issue: ConfigIssue) => formatIssue(issue, { text: texts.get(issue.file ?? ''), redactor });
  for (const issue of issues) if (issue.severity === 'warning') printNote(`${textOf(issue)}`, io);
  if (extension !== undefined) return extension.servers;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  throw new CommandError(exitCodes.config, `The extension "${folder}" has ${count}, and nothing was written.`, {
    details: errors.flatMap((issue) => textOf(issue).split('\n')),
    hint: 'Fix its files and run it again.',
  });
}

/**
 * Owner of an extension's entries: one per extension and project. Stable after the folder is gone, so that its entries
 * can be removed.
 */
export function extensionOwner(folder: string, { cwd }: Pick<Io, 'cwd'>): string {
  return `mcpx extension ${hexDigest(JSON.stringify([placeOf(resolve(cwd, folder)), realPath(cwd)]), 16)}`;
}

/** Resolves links of the existing part of the path. */
function placeOf(folder: string): string {
  const parent = dirname(folder);
  if (parent === folder) return folder;
  return join(existsSync(parent) ? realPath(parent) : placeOf(parent), basename(folder));
}
