import { resolve } from 'node:path';

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

export interface ResolvedOptions extends Required<Omit<ExtensionOptions, 'manifest'>> {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: string | undefined;
  readonly variables: 'keep' | 'expand';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly node: string;
}

export function resolveOptions(
  folder: string,
  {
    root,
    manifest,
    variables = 'keep',
    env = process.env,
    platform = process.platform,
    node = process.execPath,
  }: Partial<ExtensionOptions> = {},
): ResolvedOptions {
  if (typeof folder !== 'string' || folder === '') throw new TypeError('folder must be the path of an extension');
  if (typeof root !== 'string' || root === '') throw new TypeError('root must be the path of a project');
  if (variables !== 'keep' && variables !== 'expand') throw new TypeError('variables must be "keep" or "expand"');
  if (manifest !== undefined && typeof manifest !== 'string') throw new TypeError('manifest must be a path');
  return { folder: resolve(folder), root: resolve(root), manifest, variables, env, platform, node };
}
