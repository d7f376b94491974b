import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { backUp } from '../files/backups.js';
import { makeDirectory, removeDirectories, transferDirectory } from '../files/created-directories.js';
import { writeFailure } from '../files/file-failure.js';
import { type LockOptions, lockFile } from '../files/file-lock.js';
import { readOwnership, writeOwnership } from '../files/ownership-file.js';
import { readHostBytes } from '../files/read-host-text.js';
import { deleteFile, type ReplaceStep, removeLeftovers, replaceFile } from '../files/replace-file.js';
import { resolveTarget, type Target, type TargetRules } from '../files/resolve-target.js';
import { HostFileError } from '../host-error.js';
import { type OwnedFile, ownedFile, sameRecord, withFile } from './ownership.js';
import type { FileChange, FileContent } from './sync-plan.js';

/** Steps of one file, in this order. Some files skip steps. */
export type ApplyStep = 'lock' | 'check' | 'record-intent' | 'back-up' | ReplaceStep | 'unlock' | 'record-outcome';

/** Outcome for one file. */
export interface AppliedFile {
  readonly file: string;
  readonly outcome: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** Path of the copy of the previous file. */
  readonly backup?: string | undefined;
}

interface FileSettings {
  readonly stateDirectory: string;
  readonly backupDirectory: string;
  readonly backups: number;
  readonly allowedPlaces?: readonly string[] | undefined;
  readonly lock: LockOptions;
  readonly onStep?: ((step: ApplyStep, file: string) => void | Promise<void>) | undefined;
}

/**
 * Applies the planned change of one file. Records the intent first and the outcome last, so that the next plan cleans
 * up after a killed process.
 */
export async function applyFile(change: FileChange, settings: FileSettings): Promise<AppliedFile> {
  const { file, effect } = change;
  const content = change.content.open();
  const at = async (step: ApplyStep) => settings.onStep?.(step, file);
  const rules = { inside: change.inside, allowedPlaces: settings.allowedPlaces, forWriting: effect !== 'record' };
  const found = await resolveTarget(file, rules);
  const createdDirectory = effect === 'record' ? undefined : await makeDirectory(found);
  const working: Working = { change, content, settings, at, rules, createdDirectory };

  let written: Written | undefined;
  try {
    await at('lock');
    if (effect !== 'record' || (await directoryExists(dirname(found.path)))) written = await locked(found, working);
  } finally {
    if (written === undefined) await removeDirectories(found.path, createdDirectory);
  }
  if (written === undefined) await checkRecord(working);
  await at('record-outcome');
  await recordOutcome(found, working);
  return { file, outcome: written?.outcome ?? 'unchanged', backup: written?.backup };
}

interface Working {
  readonly change: FileChange;
  readonly content: FileContent;
  readonly settings: FileSettings;
  readonly at: (step: ApplyStep) => Promise<void>;
  readonly rules: TargetRules;
  readonly createdDirectory: string | undefined;
}

interface Written {
  readonly outcome: AppliedFile['outcome'];
  readonly backup: string | undefined;
}

async function locked(found: Target, working: Working): Promise<Written> {
  const { change, content, settings, at, rules } = working;
  const { lock } = settings;
  await using _lock = await lockFile(found.path, lock).catch((error: unknown) => {
    throw lock.signal?.aborted ? error : writeFailure(error, change.file);
  });
  await at('check');
  await removeLeftovers(found.path);
  const target = await resolveTarget(change.file, rules);
  const bytes = await checkedBytes(change, target);
  const known = await checkRecord(working);
  if (change.effect === 'record') return { outcome: 'unchanged', backup: undefined };

  await at('record-intent');
  await record(working, withDirectory(content.pending, working, known));
  const backup = await write(working, target, bytes).catch(async (error: unknown) => {
    if (!(await isWritten(target, content))) await record(working, known).catch(() => undefined);
    throw error; // the first failure matters; a stale intent is harmless
  });
  await at('unlock');
  return { outcome: outcomeOf(change.effect, bytes), backup };
}

async function directoryExists(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false, // nothing to clean up
  );
}

async function write(
  { change, content, settings, at }: Working,
  target: Target,
  bytes: Uint8Array | undefined,
): Promise<string | undefined> {
  const options = { before: change.before, onStep: at };
  if (change.effect === 'delete') {
    await deleteFile(target, options);
    return undefined;
  }
  await at('back-up');
  const backup = await backUpFirst(target, bytes, settings);
  await replaceFile(target, Buffer.from(content.text), options);
  return backup;
}

async function isWritten({ path }: Target, { text }: FileContent): Promise<boolean> {
  const bytes = await readHostBytes(path).catch(() => undefined); // an unreadable file counts as not written
  return bytes !== undefined && hexDigest(bytes) === hexDigest(text);
}

async function backUpFirst(
  { requested, path }: Target,
  bytes: Uint8Array | undefined,
  { backupDirectory, backups }: FileSettings,
): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  try {
    return await backUp(path, bytes, { directory: backupDirectory, keep: backups });
  } catch (error) {
    throw writeFailure(error, requested);
  }
}

async function checkedBytes({ file, before }: FileChange, { path }: Target): Promise<Uint8Array | undefined> {
  const bytes = await readHostBytes(path);
  if ((bytes && hexDigest(bytes)) === before) return bytes;
  throw new HostFileError('changed-since-plan', `${file} has changed since the plan was made. Plan again`, {
    file,
  });
}

/** Returns the record of the file, which must equal that of the plan. */
async function checkRecord({ change: { file }, content, settings }: Working): Promise<OwnedFile | undefined> {
  const known = ownedFile(await readOwnership({ stateDirectory: settings.stateDirectory }), file);
  if (sameRecord(known, content.recorded)) return known;
  const message = `Another sync has written to ${file} since the plan was made. Plan again`;
  throw new HostFileError('changed-since-plan', message, { file });
}

async function record({ change, settings }: Working, owned: OwnedFile | undefined): Promise<void> {
  await writeOwnership(
    settings.stateDirectory,
    withFile(await readOwnership({ stateDirectory: settings.stateDirectory }), change.file, owned),
  );
}

/** Removes empty directories that were created for a deleted file. */
async function recordOutcome(found: Target, working: Working): Promise<void> {
  const { change, content, settings } = working;
  const ownership = await readOwnership({ stateDirectory: settings.stateDirectory });
  const known = ownedFile(ownership, change.file);
  const done = content.done && withDirectory(content.done, working, known);
  let after = withFile(ownership, change.file, done);
  const gone = done === undefined ? (known ?? content.recorded) : undefined;
  if (gone !== undefined) {
    await removeDirectories(found.path, working.createdDirectory ?? gone.createdDirectory);
    after = transferDirectory(after, gone);
  }
  await writeOwnership(settings.stateDirectory, after);
}

function withDirectory(owned: OwnedFile, { createdDirectory }: Working, known: OwnedFile | undefined): OwnedFile {
  const directory = createdDirectory ?? (owned.createdFile === true ? known?.createdDirectory : undefined);
  return directory === undefined ? owned : { ...owned, createdDirectory: directory };
}

function outcomeOf(effect: FileChange['effect'], bytes: Uint8Array | undefined): AppliedFile['outcome'] {
  if (effect === 'delete') return 'deleted';
  return bytes === undefined ? 'created' : 'changed';
}
