import { statSync } from 'node:fs';
import { win32 } from 'node:path';

export interface ProgramQuery {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds a program on Windows, which would search the current directory before PATH. Excludes batch files, because
 * `cmd.exe` parses arguments differently.
 */
export function findWindowsProgram(
  { program, cwd, env }: ProgramQuery,
  isFile: (path: string) => boolean = isFileOnDisk,
): string | undefined {
  const names = /\.(exe|com)$/i.test(program) ? [program] : [`${program}.com`, `${program}.exe`];
  const folders = /[\\/:]/.test(program) ? [cwd] : foldersOf(env);
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(isFile);
}

function foldersOf(env: ProgramQuery['env']): readonly string[] {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const entries = path.split(win32.delimiter).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  return entries.filter((entry) => /^[a-z]:[\\/]/i.test(entry) || /^[\\/]{2}[^\\/]/.test(entry));
}

function isFileOnDisk(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
