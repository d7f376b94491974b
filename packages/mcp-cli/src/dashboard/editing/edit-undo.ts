import { CommandError } from '../../command.js';
import { ControlError } from '../../control/control-error.js';
import { type RecordedChange, recordChange, recordedChanges, undoable } from '../../writing-config/change-journal.js';
import {
  type CurrentFile,
  currentOf,
  diffOf,
  refuseEdited,
  restoreText,
  reversed,
} from '../../writing-config/undo-change.js';
import type { ActionResult, ConfigFilesView } from '../page-messages.js';
import { type EditSources, editableFiles, editCommand, effectText, writeTimeoutMs } from './server-edit.js';

/** The latest edit of a page to one of the files, if it is in effect. */
export async function lastEdit(sources: Pick<EditSources, 'files' | 'io'>): Promise<ConfigFilesView['lastEdit']> {
  const last = (await ownEdits(sources)).at(-1);
  return last && { change: last.id, server: serverOf(last), at: Date.parse(last.at) };
}

function serverOf({ command }: RecordedChange): string {
  return command.slice(editCommand.length);
}

async function ownEdits(sources: Pick<EditSources, 'files' | 'io'>): Promise<readonly RecordedChange[]> {
  const changes = undoable(await recordedChanges(sources.io.stateDirectory));
  const own = changes.filter(({ command }) => command.startsWith(editCommand));
  if (own.length === 0) return [];
  const paths = new Set((await editableFiles(sources)).files.map(({ path }) => path));
  return own.filter(({ files }) => files.every(({ file }) => paths.has(file)));
}

interface UndoPlan {
  readonly server: string;
  /** Unified diff. */
  readonly diff: string;
}

/** @throws {ControlError} `invalid-request`: it is no edit of a page, or the file was edited since. */
export async function planEditUndo(change: number, sources: EditSources): Promise<UndoPlan> {
  const { recorded, files } = await editNumbered(change, sources);
  const diff = files.map(diffOf).filter(Boolean).join('\n');
  return { server: serverOf(recorded), diff: sources.stack.redactor.redact(diff) };
}

/** Restores the file from before an edit of a page. A failure to write is a result. */
export async function undoServerEdit(change: number, sources: EditSources): Promise<ActionResult> {
  const { recorded, files } = await editNumbered(change, sources);
  const { cwd: directory, stateDirectory = '' } = sources.io;
  try {
    for (const file of files) await restoreText(file, { signal: AbortSignal.timeout(writeTimeoutMs) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { isDone: false, message: sources.stack.redactor.redact(`Nothing was taken back: ${error.message}`) };
  }
  const undo = { command: `dashboard undo ${change}`, directory, undoes: change, files: files.map(reversed) };
  await recordChange(stateDirectory, undo).catch(() => undefined);
  return {
    isDone: true,
    message: effectText(`The edit of “${serverOf(recorded)}” is taken back`, await sources.settled()),
  };
}

async function editNumbered(change: number, sources: EditSources) {
  const recorded = (await ownEdits(sources)).find(({ id }) => id === change);
  if (recorded === undefined) {
    throw new ControlError('invalid-request', 'This is no edit of the dashboard that can be taken back.');
  }
  try {
    const files: readonly CurrentFile[] = await Promise.all(recorded.files.map(currentOf));
    for (const file of files) refuseEdited(recorded, file);
    return { recorded, files };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new ControlError('invalid-request', sources.stack.redactor.redact(error.message), { hint: error.hint });
  }
}
