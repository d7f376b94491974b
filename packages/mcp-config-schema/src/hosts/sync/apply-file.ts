import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { textHash } from '../entry/entry-form.js';
import { backUp } from '../files/backups.js';
import { writeFailure } from '../files/file-failure.js';
import { type LockOptions, lockFile } from '../files/file-lock.js';
import { readOwnership, writeOwnership } from '../files/ownership-file.js';
import { readHostBytes } from '../files/read-host-text.js';
import { deleteFile, type ReplaceStep, removeLeftovers, replaceFile } from '../files/replace-file.js';
import { resolveTarget, type Target, type TargetRules } from '../files/resolve-target.js';
import { HostFileError } from '../host-error.js';
import { type OwnedFile, ownedFile, sameRecord, withFile } from './ownership.js';
import type { FileChange, FileContent } from './sync-plan.js';

/** In this order, though not every file takes every step. */
export type ApplyStep = 'lock' | 'check' | 'record-intent' | 'back-up' | ReplaceStep | 'unlock' | 'record-outcome';

export interface AppliedFile {
  readonly file: string;
  readonly outcome: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** Where the file as it was before has been kept. */
  readonly backup?: string | undefined;
}

export interface FileSettings {
  readonly stateDirectory: string;
  readonly backupDirectory: string;
  readonly backups: number;
  readonly allowedPlaces?: readonly string[] | undefined;
  readonly lock: LockOptions;
  readonly onStep?: ((step: ApplyStep, file: string) => void | Promise<void>) | undefined;
}

/**
 * Carries out what is planned for one file. The intent is recorded before the file is touched, and the outcome once
 * all is done: should the process die in between, the next plan knows that an entry may be there and that it is ours,
 * and carrying that plan out clears away what has been left behind.
 */
export async function applyFile(change: FileChange, settings: FileSettings): Promise<AppliedFile> {
  const { file, effect } = change;
  const { recorded, done } = change.content.open();
  const at = async (step: ApplyStep) => settings.onStep?.(step, file);
  const rules = { inside: change.inside, allowedPlaces: settings.allowedPlaces, forWriting: effect !== 'record' };
  const found = await resolveTarget(file, rules);
  const createdDirectory = effect === 'record' ? undefined : await makeDirectory(found);
  const working: Working = { change, content: change.content.open(), settings, at, rules, createdDirectory };

  let written: Written | undefined;
  try {
    await at('lock');
    if (effect !== 'record' || (await isThere(dirname(found.path)))) written = await locked(found, working);
  } finally {
    const made =
      written === undefined || done === undefined ? (createdDirectory ?? recorded?.createdDirectory) : undefined;
    await removeDirectories(found.path, made);
  }
  if (written === undefined) await checkRecord(change, working.content, settings.stateDirectory);
  await at('record-outcome');
  await record(working, done && withDirectory(done, createdDirectory));
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

/** What is done while nobody else of us, nor a host that knows the lock, touches the file. */
async function locked(found: Target, working: Working): Promise<Written> {
  const { change, content, settings, at, rules, createdDirectory } = working;
  const { stateDirectory, lock } = settings;
  await using _lock = await lockFile(found.path, lock).catch((error: unknown) => {
    throw lock.signal?.aborted ? error : writeFailure(error, change.file);
  });
  await at('check');
  await removeLeftovers(found.path);
  const target = await resolveTarget(change.file, rules);
  const bytes = await checkedBytes(change, target);
  await checkRecord(change, content, stateDirectory);
  if (change.effect === 'record') return { outcome: 'unchanged', backup: undefined };

  await at('record-intent');
  await record(working, withDirectory(content.pending, createdDirectory));
  const backup = await write({ change, content, target, bytes, settings, at }).catch(async (error: unknown) => {
    if (!(await isWritten(target, content))) await record(working, content.recorded).catch(() => undefined);
    throw error; // the first failure is the one to report; an intent that is left behind does no harm
  });
  await at('unlock');
  return { outcome: outcomeOf(change.effect, bytes), backup };
}

async function record({ change, settings: { stateDirectory } }: Working, owned: OwnedFile | undefined): Promise<void> {
  await writeOwnership(stateDirectory, withFile(await readOwnership({ stateDirectory }), change.file, owned));
}

async function isThere(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false, // then there is nothing to clear away
  );
}

interface Writing {
  readonly change: FileChange;
  readonly content: FileContent;
  readonly target: Target;
  readonly bytes: Uint8Array | undefined;
  readonly settings: FileSettings;
  readonly at: (step: ApplyStep) => Promise<void>;
}

async function write({ change, content, target, bytes, settings, at }: Writing): Promise<string | undefined> {
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
  const bytes = await readHostBytes(path).catch(() => undefined); // unreadable is not written
  return bytes !== undefined && textHash(bytes) === textHash(text);
}

async function backUpFirst(
  { asked, path }: Target,
  bytes: Uint8Array | undefined,
  { backupDirectory, backups }: FileSettings,
): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  try {
    return await backUp(path, bytes, { directory: backupDirectory, keep: backups });
  } catch (error) {
    throw writeFailure(error, asked);
  }
}

async function checkedBytes({ file, before }: FileChange, { path }: Target): Promise<Uint8Array | undefined> {
  const bytes = await readHostBytes(path);
  if ((bytes && textHash(bytes)) === before) return bytes;
  throw new HostFileError('changed-since-plan', `${file} is not what it was when this was planned: plan again`, {
    file,
  });
}

async function checkRecord({ file }: FileChange, { recorded }: FileContent, stateDirectory: string): Promise<void> {
  const known = ownedFile(await readOwnership({ stateDirectory }), file);
  if (sameRecord(known, recorded)) return;
  const message = `Another sync has written to ${file} since this was planned: plan again`;
  throw new HostFileError('changed-since-plan', message, { file });
}

/** The uppermost directory that was missing. Readable for its user alone, as the file will be. */
async function makeDirectory({ asked, path }: Target): Promise<string | undefined> {
  try {
    return await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(error, asked);
  }
}

function withDirectory(owned: OwnedFile, createdDirectory: string | undefined): OwnedFile {
  return createdDirectory === undefined ? owned : { ...owned, createdDirectory };
}

/** From the file's directory up to the one that was made for it, as far as they are empty. */
async function removeDirectories(file: string, uppermost: string | undefined): Promise<void> {
  if (uppermost === undefined) return;
  let directory = dirname(file);
  while (directory.startsWith(uppermost)) {
    try {
      await rmdir(directory);
    } catch {
      return; // somebody else keeps something in it
    }
    directory = dirname(directory);
  }
}

function outcomeOf(effect: FileChange['effect'], bytes: Uint8Array | undefined): AppliedFile['outcome'] {
  if (effect === 'delete') return 'deleted';
  return bytes === undefined ? 'created' : 'changed';
}
