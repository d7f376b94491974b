import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { codeOf, replaceFile } from '@x/internal/files';
import { CommandError, exitCodes } from '../command.js';

/**
 * Adds values to a `.env` file that only its owner can read. Existing lines stay, and names that have a value are left
 * out.
 *
 * @returns The added names.
 * @throws {CommandError} The file cannot be read or written.
 */
export async function addToEnvFile(path: string, values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  try {
    const text = await readEnvFile(path);
    const known = parseEnv(text);
    const added = Object.entries(values).filter(([name]) => !Object.hasOwn(known, name));
    if (added.length === 0) return [];
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    await replaceFile(path, `${text}${separator}${added.map((pair) => `${envLine(...pair)}\n`).join('')}`);
    return added.map(([name]) => name);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const message = `${path} cannot be written: ${codeOf(cause) ?? String(cause)}.`;
    throw new CommandError(exitCodes.failed, message, { cause });
  }
}

/** Names that have a value in a `.env` file. None if it cannot be read. */
export async function namesInEnvFile(path: string): Promise<ReadonlySet<string>> {
  return new Set(Object.keys(parseEnv(await readEnvFile(path).catch(() => ''))));
}

/** Empty without a file. */
async function readEnvFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
}

/** @throws {CommandError} The value has all three quotes, which the syntax cannot express. */
export function envLine(name: string, value: string): string {
  if (/^[\w@%+:,./~^-]+$/.test(value)) return `${name}=${value}`;
  // Single quotes and backticks keep backslashes and line ends as they are.
  const quote = ["'", '`', '"'].find((each) => !value.includes(each) && !(each === '"' && value.includes('\\')));
  if (quote !== undefined) return `${name}=${quote}${value}${quote}`;
  throw new CommandError(
    exitCodes.failed,
    `The value of ${name} contains all kinds of quotes, which .env cannot express.`,
    {
      hint: `Set ${name} in the environment instead.`,
    },
  );
}
