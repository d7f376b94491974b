import { messageOf } from '@x/internal/errors';
import { type ConfigIssue, formatIssue } from '@x/mcp-config-schema';
import { type EntryEdit, editEntries, isHostFileError, textDiff, writeText } from '@x/mcp-host-sync/edit';
import { CommandError, exitCodes, type Io } from '../command.js';
import { trustsEverything } from '../consent/obtain-consent.js';
import type { ReloadReport } from '../control/reports.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { hostFailure } from '../host-apps/hosts.js';
import { printNote } from '../output/fit.js';
import { printable } from '../output/print.js';
import { type BundleChange, recordChange } from './change-journal.js';
import { type ChangeOptions, type FoundConfig, newErrors, type ServerFile } from './config-file.js';

/** A checked change of one config file, not yet written. */
export interface PlannedChange {
  readonly file: ServerFile;
  readonly after: string;
  /** Unified diff, with `***` for secrets. Empty without a change. */
  readonly diff: string;
  /** Issues that the change brings, none of them an error. */
  readonly warnings: readonly ConfigIssue[];
}

/**
 * Applies edits to the text of a file and checks the result together with all other files.
 *
 * @throws {CommandError} `config`: the text cannot be edited safely, or the result has new errors.
 */
export function planEdits(found: FoundConfig, file: ServerFile, edits: readonly EntryEdit[]): PlannedChange {
  return planText(found, file, editedText(file, edits));
}

/** @throws {CommandError} `config`: the text cannot be edited safely. */
export function editedText({ text = '', shape, shown }: ServerFile, edits: readonly EntryEdit[]): string {
  try {
    return editEntries(text, shape, edits).text;
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    const { line, column = 1, message, manualSnippet } = error;
    const place = line === undefined ? shown : `${shown}:${line}:${column}`;
    throw new CommandError(exitCodes.config, `${place} ${message}. Nothing was written.`, {
      details: manualSnippet === undefined ? [] : ['Add this by hand:', ...manualSnippet.trimEnd().split('\n')],
      hint: line === undefined ? undefined : 'Run "mcpx validate" to see every issue of the file.',
      cause: error,
    });
  }
}

/** @throws {CommandError} `config`: the text has errors that the file does not have. */
export function planText(found: FoundConfig, file: ServerFile, after: string): PlannedChange {
  const { fresh, redactor } = newErrors(found, file, after);
  const errors = fresh.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const details = errors.map((issue) =>
      formatIssue(issue, { text: issue.file === file.shown ? after : undefined, redactor }),
    );
    throw new CommandError(exitCodes.config, `The change would make ${file.shown} invalid. Nothing was written.`, {
      details: details.flatMap((text) => text.split('\n')),
    });
  }
  const diff = after === file.text ? '' : redactor.redact(textDiff(file.shown, { before: file.text, after }));
  return { file, after, diff, warnings: fresh };
}

export type DaemonOutcome = 'reloaded' | 'none' | 'failed';

/** Outcome of a change, as `--json` prints it. */
export interface ChangeReport {
  readonly file: string;
  readonly outcome: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** False for a dry run. */
  readonly written: boolean;
  readonly diff: string;
  /** Number for `mcpx config undo`; `null` if nothing was written or stored. */
  readonly change: number | null;
  readonly daemon: DaemonOutcome;
  readonly reload?: ReloadReport | undefined;
}

interface ApplyOptions extends ChangeOptions {
  /** For the list of `mcpx config undo`. */
  readonly command: string;
  readonly bundle?: BundleChange | undefined;
  /** Runs between the write and the reload of the daemon. */
  readonly onWritten?: (() => Promise<void>) | undefined;
}

/**
 * Writes a planned change, records it for `mcpx config undo` and makes a running daemon read it.
 *
 * @throws {CommandError} The file cannot be written, or has changed since it was read.
 */
export async function applyChange(
  plan: PlannedChange,
  { command, bundle, onWritten, ...options }: ApplyOptions,
  io: Io,
): Promise<ChangeReport> {
  const { file, after, diff } = plan;
  const { path, text: before } = file;
  const outcome = before === undefined ? 'created' : before === after ? 'unchanged' : 'changed';
  const report = { file: path, outcome, diff, change: null, daemon: 'none' } as const;
  if (options.dryRun || outcome === 'unchanged') return { ...report, written: false };
  await writePlanned(plan, io);
  const files = [{ file: path, before: before ?? null, after }];
  const change = await recorded({ command, directory: io.cwd, files, bundle }, io);
  await onWritten?.();
  return { ...report, written: true, change, ...(await reloadDaemon(options, io)) };
}

/** @throws {CommandError} The file cannot be written, or has changed since it was read. */
export async function writePlanned({ file, after }: PlannedChange, { signal }: Pick<Io, 'signal'>): Promise<void> {
  const { path, text: before, layer } = file;
  await writeText({ file: path, before, after }, { mode: layer === 'user' ? 0o600 : 0o666, signal }).catch(
    (error: unknown) => {
      throw hostFailure(error);
    },
  );
}

/** Each writer that comes first costs one attempt. */
const attempts = 20;

/** Plans and writes again if another program has changed the file in between. `change` repeats no question. */
export async function changedOnce<Result>(
  change: () => Promise<Result>,
  { signal }: Pick<Io, 'signal'>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      const cause = error instanceof CommandError ? error.cause : undefined;
      const isOutdated = isHostFileError(cause) && cause.code === 'changed-since-plan';
      if (!isOutdated || attempt === attempts) throw error;
      signal.throwIfAborted();
    }
  }
}

/** A change that cannot be recorded stays, with a warning. */
export async function recorded(change: Parameters<typeof recordChange>[1], io: Io): Promise<number | null> {
  if (io.stateDirectory === undefined) return null;
  return recordChange(io.stateDirectory, change).catch((error: unknown) => {
    printNote(`warning: "mcpx config undo" will not know this change: ${printable(messageOf(error))}`, io);
    return null;
  });
}

/** A daemon that refuses the config stays as it is; its reason is a warning. */
export async function reloadDaemon(options: ChangeOptions, io: Io): Promise<Pick<ChangeReport, 'daemon' | 'reload'>> {
  try {
    await using control = await findDaemon(options, io);
    if (!control) return { daemon: 'none' };
    const reload = await control.reload({ trust: trustsEverything(io.env) || undefined, signal: io.signal });
    return { daemon: 'reloaded', reload };
  } catch (error) {
    io.signal.throwIfAborted();
    printNote(`warning: the running daemon did not read the change: ${printable(messageOf(error))}`, io);
    return { daemon: 'failed' };
  }
}
