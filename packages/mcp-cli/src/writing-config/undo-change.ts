import { readText, textDiff, writeText } from '@x/mcp-host-sync/edit';
import { CommandError, exitCodes, type Io } from '../command.js';
import { hostFailure } from '../host-apps/hosts.js';
import type { ChangedFile, RecordedChange } from './change-journal.js';

/** A file of a change with its present content. `undefined`: there is no file. */
export interface CurrentFile extends ChangedFile {
  readonly now: string | undefined;
}

/** @throws {CommandError} The file cannot be read. */
export async function currentOf(file: ChangedFile): Promise<CurrentFile> {
  const now = await readText(file.file).catch((error: unknown) => {
    throw hostFailure(error);
  });
  return { ...file, now };
}

/** @throws {CommandError} The file has been edited after the change. */
export function refuseEdited({ id, command }: RecordedChange, { file, after, before, now }: CurrentFile): void {
  if (now === (after ?? undefined) || now === (before ?? undefined)) return;
  const diff = textDiff(file, { before: after ?? undefined, after: now });
  throw new CommandError(exitCodes.failed, `${file} has been changed since "${command}". Nothing was written.`, {
    details: diff === '' ? ['Only secrets or line ends differ.'] : diff.split('\n'),
    hint: `Add --force to restore it nevertheless, which discards these changes: mcpx config undo ${id} --force`,
  });
}

/** Unified diff of the undo. */
export function diffOf({ file, before, now }: CurrentFile): string {
  return textDiff(file, { before: now, after: before ?? undefined });
}

/**
 * Writes the content from before the change.
 *
 * @throws {CommandError} The file cannot be written.
 */
export async function restoreText({ file, before, now }: CurrentFile, { signal }: Pick<Io, 'signal'>): Promise<void> {
  // A file that a host app may read keeps its mode; a new one is private.
  await writeText({ file, before: now, after: before ?? undefined }, { signal }).catch((error: unknown) => {
    throw hostFailure(error);
  });
}

/** The undo as a change. */
export function reversed({ file, before, now, record }: CurrentFile): ChangedFile {
  return {
    file,
    before: now ?? null,
    after: before,
    ...(record && { record: { before: record.after, after: record.before } }),
  };
}
