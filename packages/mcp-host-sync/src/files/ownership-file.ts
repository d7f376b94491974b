import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { parseJson } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import envPaths from 'env-paths';
import * as z from 'zod/mini';
import { HostFileError } from '../host-error.js';
import { noOwnership, type Ownership } from '../sync/ownership.js';
import { decodeText, readHostBytes } from './read-host-text.js';
import { removeLeftovers, replaceFile } from './replace-file.js';
import { resolveTarget } from './resolve-target.js';

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** Maximum size of the record, which covers every host. */
const maxBytes = 64_000_000;

const filePath = z.string().check(z.minLength(1));

const entrySchema = z.object({
  name: z.string(),
  host: z.string(),
  owner: z.string(),
  hash: z.optional(hash),
  enabled: z.optional(z.boolean()),
  hasSecrets: z.optional(z.literal(true)),
  hasToolLists: z.optional(z.literal(true)),
  pending: z.optional(z.object({ hash: z.nullable(hash) })),
});

const containerSchema = z.object({
  keyPath: z.array(z.string()),
  origin: z.optional(
    z.pipe(
      z.object({ levels: z.int().check(z.minimum(0)), replaced: z.optional(z.string()) }),
      z.transform(({ levels, replaced }) => (replaced === undefined ? { levels } : { levels, replaced })),
    ),
  ),
  entries: z.array(entrySchema),
});

const ownershipSchema = z.object({
  version: z.literal(1),
  files: z.array(
    z.object({
      path: filePath,
      createdFile: z.optional(z.literal(true)),
      createdDirectory: z.optional(filePath),
      containers: z.array(containerSchema),
    }),
  ),
});

/** Further keys are those of `syncHosts`. */
const ownershipOptions = optionTable<{ readonly stateDirectory?: string | undefined }>('ignored')({
  stateDirectory: { kind: 'text' },
});

/**
 * Reads the record of written entries from `stateDirectory`, by default the data directory of `mcpx` for the user. An
 * invalid record is an error, because without it all entries would count as foreign.
 *
 * @throws {HostFileError} `broken-link`, `not-a-file`, `unreadable-file`, `invalid-state`
 */
export async function readOwnership(
  options: { readonly stateDirectory?: string | undefined } = {},
): Promise<Ownership> {
  const { stateDirectory = defaultStateDirectory() } = ownershipOptions.read(options);
  const file = ownershipPath(stateDirectory);
  const { path } = await resolveTarget(file, { forWriting: false });
  const bytes = await readHostBytes(path, maxBytes);
  return bytes === undefined ? noOwnership : parseOwnership(decodeText(bytes, file), file);
}

/** Replaces the record in one step. The caller must hold its lock. */
export async function writeOwnership(stateDirectory: string, ownership: Ownership): Promise<void> {
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  const target = await resolveTarget(ownershipPath(stateDirectory), { forWriting: true });
  await removeLeftovers(target.path);
  const text = `${JSON.stringify({ version: 1, files: ownership.files }, null, 2)}\n`;
  const before = await readHostBytes(target.path, maxBytes);
  await replaceFile(target, Buffer.from(text), { before: before && hexDigest(before) });
}

function parseOwnership(text: string, file: string): Ownership {
  const parsed = ownershipSchema.safeParse(parseJson(text));
  if (parsed.success) return { files: parsed.data.files };
  const message = `${file} is damaged or has a newer version. Restore it, or delete it so that its entries count as foreign`;
  throw new HostFileError('invalid-state', message, { file, cause: parsed.error });
}

/** Directory of the record and the backups of this user. */
export function defaultStateDirectory(): string {
  return envPaths('mcpx', { suffix: '' }).data;
}

export const backupsFolderName = 'backups';

export function ownershipPath(stateDirectory: string): string {
  return join(stateDirectory, 'host-sync.json');
}
