import { resolve } from 'node:path';
import { optionTable } from '@x/internal/options';

/** Options of reading an extension. */
export interface ExtensionOptions {
  /** Project of the servers: the value of `{{root}}`, and of the `.` in `--root .`. */
  readonly root: string;
  /** Path of the manifest, relative to the folder. Default: `extension.toml`, `.yaml`, `.yml` or `.json`. */
  readonly manifest?: string | undefined;
  /**
   * `keep` leaves variables as `${NAME}` for the host; a literal `${` is then `$${`. `expand` replaces them, for an
   * immediate start, and reports unset variables. Default `keep`.
   */
  readonly variables?: 'keep' | 'expand' | undefined;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: `process.platform`. */
  readonly platform?: string | undefined;
  /** Value of `{{runtime.node}}`. Default: the current Node.js. */
  readonly node?: string | undefined;
}

const extensionOptions = optionTable<ExtensionOptions>()({
  root: { kind: 'text', required: true },
  manifest: { kind: 'text' },
  variables: { kind: 'word', words: ['keep', 'expand'], default: 'keep' },
  env: { kind: 'object', default: process.env },
  platform: { kind: 'text', default: process.platform },
  node: { kind: 'text', default: process.execPath },
});

export type ResolvedOptions = ReturnType<(typeof extensionOptions)['read']> & {
  readonly folder: string;
};

/** @throws {TypeError} An option is missing, misspelled or invalid; the message names it. */
export function resolveOptions(folder: string, given: ExtensionOptions): ResolvedOptions {
  if (typeof folder !== 'string' || folder === '') throw new TypeError('folder must be the path of an extension');
  const options = extensionOptions.read(given);
  return { ...options, folder: resolve(folder), root: resolve(options.root) };
}
