import { isHostFileError, putRecordBack } from '@x/mcp-host-sync/edit';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { hostFailure } from '../host-apps/hosts.js';
import { fit, printNote } from '../output/fit.js';
import { printableLine, printJson, stylesFor } from '../output/print.js';
import { table } from '../output/table.js';
import { recorded, reloadDaemon } from '../writing-config/change-config.js';
import { type RecordedChange, recordedChanges, undoable } from '../writing-config/change-journal.js';
import { findConfig } from '../writing-config/config-file.js';
import { diffText } from '../writing-config/print-change.js';
import {
  type CurrentFile,
  currentOf,
  diffOf,
  refuseEdited,
  restoreText,
  reversed,
} from '../writing-config/undo-change.js';

export interface UndoOptions extends CommonOptions {
  /** Default: the latest change that was made here or to this config. */
  readonly change?: number | undefined;
  readonly list?: boolean;
  readonly dryRun?: boolean;
  /** Also discards edits that were made after the change. */
  readonly force?: boolean;
}

/** Restores the files of one earlier change of `mcpx`. */
export async function configUndo(options: UndoOptions, io: Io): Promise<ExitCode> {
  const changes = await recordedChanges(io.stateDirectory);
  if (options.list) return list(changes, options, io);
  const change = await chosen(changes, options, io);
  const files = await Promise.all(change.files.map(currentOf));
  for (const file of files) if (!options.force) refuseEdited(change, file);
  const diff = files.map(diffOf).filter(Boolean).join('\n');
  const isWritten = !options.dryRun;
  const { number, ...outcome } = isWritten
    ? await undo({ change, changes, files }, options, io)
    : { number: null, daemon: 'none' as const };
  if (options.json) {
    const { id, command, at } = change;
    const paths = files.map(({ file }) => file);
    printJson({ undone: { id, command, at }, files: paths, written: isWritten, diff, change: number, ...outcome }, io);
    return exitCodes.ok;
  }
  if (diff !== '') io.stdout.write(diffText(diff, io));
  if (!isWritten) printNote('Nothing was written.', io);
  else {
    const { green } = stylesFor(io.stdout, io);
    const redo = number === null ? '' : ` "mcpx config undo ${number}" does it again.`;
    const text = `${green('✓')} Took back "${printableLine(change.command, 200)}" of ${timeOf(change)}.${redo}\n`;
    io.stdout.write(fit(text, io.stdout));
  }
  return exitCodes.ok;
}

interface Undoing {
  readonly change: RecordedChange;
  /** All that are recorded. */
  readonly changes: readonly RecordedChange[];
  readonly files: readonly CurrentFile[];
}

/** `number` is that of the undo. */
async function undo({ change, changes, files }: Undoing, options: UndoOptions, io: Io) {
  const folders = change.bundle && io.stateDirectory !== undefined ? await bundleOf(change, changes, io) : undefined;
  await folders?.unpack();
  for (const file of files) await restore(file, change, io);
  const record = { command: `config undo ${change.id}`, directory: io.cwd, undoes: change.id };
  const number = await recorded({ ...record, bundle: folders?.bundle, files: files.map(reversed) }, io);
  const outcome = await reloadDaemon(options, io);
  // A daemon that has not read the change may run its server.
  if (outcome.daemon !== 'failed') await folders?.remove();
  return { number, ...outcome };
}

async function bundleOf(change: RecordedChange, changes: readonly RecordedChange[], { stateDirectory = '' }: Io) {
  const { removeBundle, reversedBundle, unpackAgain } = await import('../adding/bundle-folder.js');
  const undo = { ...change, id: Number.POSITIVE_INFINITY, files: [], undoes: change.id };
  const bundle = await reversedBundle(change, undoable([...changes, undo]), stateDirectory);
  return {
    bundle,
    unpack: async () => (bundle?.did === 'unpack' ? unpackAgain(bundle, stateDirectory) : undefined),
    remove: async () => (bundle?.did === 'remove' ? removeBundle(bundle, stateDirectory) : undefined),
  };
}

async function chosen(changes: readonly RecordedChange[], options: UndoOptions, io: Io): Promise<RecordedChange> {
  if (options.change !== undefined) {
    const change = changes.find(({ id }) => id === options.change);
    if (change !== undefined) return change;
    throw new CommandError(exitCodes.notFound, `There is no change ${options.change}.`, { hint: listHint });
  }
  const candidates = undoable(changes);
  const { files } = await findConfig(options, io);
  const own = new Set(files.map(({ path }) => path));
  const here = candidates.findLast(
    ({ directory, files: changed }) =>
      (options.config === undefined && directory === io.cwd) || changed.some(({ file }) => own.has(file)),
  );
  if (here !== undefined) return here;
  const last = candidates.at(-1);
  throw new CommandError(exitCodes.notFound, 'mcpx has made no change here that could be taken back.', {
    hint:
      last === undefined
        ? undefined
        : `The latest one elsewhere is ${last.id}, "${last.command}" in ${last.directory}. ${listHint}`,
  });
}

const listHint = 'Run "mcpx config undo --list" to see all changes.';

async function restore(file: CurrentFile, { undoes }: RecordedChange, io: Io): Promise<void> {
  const { stateDirectory, signal } = io;
  await restoreText(file, { signal });
  const { record } = file;
  if (record === undefined || stateDirectory === undefined) return;
  const change = { file: file.file, before: record.before ?? undefined, after: record.after ?? undefined };
  const isPut = await putRecordBack(change, { stateDirectory, signal }).catch((error: unknown) => {
    if (isHostFileError(error)) throw hostFailure(error);
    throw error;
  });
  if (!isPut && undoes === undefined) {
    printNote('warning: a later "mcpx sync" wrote to this file; its record of entries stays', io);
  }
}

function list(changes: readonly RecordedChange[], { json }: UndoOptions, io: Io): ExitCode {
  const open = new Set(undoable(changes));
  const rows = changes.toReversed().map((change) => {
    const { id, at, command, directory, files, undoes } = change;
    const paths = files.map(({ file }) => file);
    return { id, at, command, directory, files: paths, undone: undoes === undefined && !open.has(change) };
  });
  if (json) {
    printJson({ changes: rows }, io);
    return exitCodes.ok;
  }
  if (rows.length === 0) io.stdout.write('mcpx has changed no file yet.\n');
  else {
    const cells = rows.map(({ id, at, command, files, undone }) => [
      String(id),
      at.slice(0, 16).replace('T', ' '),
      printableLine(command, 60),
      printableLine(files.join(', '), 300),
      undone ? 'taken back' : '',
    ]);
    io.stdout.write(table(['Change', 'At (UTC)', 'Command', 'Files', ''], cells, io.stdout));
  }
  return exitCodes.ok;
}

function timeOf({ at }: RecordedChange): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
