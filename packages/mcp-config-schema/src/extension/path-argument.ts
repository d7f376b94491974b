import { staysInside } from './inside-folder.js';

/** An argument that may name a file: all of it, or what follows the `=` of `--config=settings/a.json`. */
export interface PathArgument {
  readonly before: string;
  readonly path: string;
}

/** The part of an argument that could be a relative path; `undefined` if there is none. Says nothing of its existence. */
export function pathArgument(argument: string): PathArgument | undefined {
  const [, before = '', path = ''] = /^(-[^=]*=)?(.*)$/s.exec(argument) ?? [];
  return isRelativePath(path) ? { before, path } : undefined;
}

/**
 * A word without a separator is more often a subcommand than a file, so it has to end like a file name. What holds a
 * reference to a variable is not known yet.
 */
export function isRelativePath(text: string): boolean {
  if (text.startsWith('-') || text.includes('${') || text.includes('\0')) return false;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) return false; // an address, or a drive
  return (/[/\\]/.test(text) || /[^.]\.\w+$/.test(text)) && staysInside(text);
}
