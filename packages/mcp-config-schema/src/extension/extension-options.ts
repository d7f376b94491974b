import { resolve } from 'node:path';
import { optionTable } from '@x/internal/options';

/** What an extension is resolved for: a project, a platform, a host or a start. */
export interface ExtensionOptions {
  /** The project that the servers work on: `{{root}}`, and what the `.` of `--root .` becomes. */
  readonly root: string;
  /** Path of the manifest, relative to the folder. Default: `extension.toml`, `.yaml`, `.yml` or `.json` in it. */
  readonly manifest?: string | undefined;
  /**
   * `keep` leaves each variable as `${NAME}` for the host that will read the entry, so that no secret is written into
   * its file; a literal `${` is then `$${`. `expand` puts the values in, for servers that are started right away, and
   * reports variables that are not set. Default `keep`.
   */
  readonly variables?: 'keep' | 'expand' | undefined;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** As in `process.platform`, which is the default. */
  readonly platform?: string | undefined;
  /** What `{{runtime.node}}` stands for. Default: the Node.js that runs this. */
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
  /** Absolute. */
  readonly folder: string;
};

/** @throws {TypeError} Names the option that is missing, misspelt or makes no sense. */
export function resolveOptions(folder: string, given: ExtensionOptions): ResolvedOptions {
  if (typeof folder !== 'string' || folder === '') throw new TypeError('folder must be the path of an extension');
  const options = extensionOptions.read(given);
  return { ...options, folder: resolve(folder), root: resolve(options.root) };
}
