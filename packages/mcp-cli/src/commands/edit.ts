import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { windowsVariables } from '@x/internal/processes';
import { checkConfig } from '@x/mcp-config-schema';
import { CommandError, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import { consentByEdit } from '../consent/consent-by-edit.js';
import { storeConsent } from '../consent/prompt-consent.js';
import { askOne, canAsk } from '../output/ask.js';
import { printNote } from '../output/fit.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { reportError } from '../output/report-error.js';
import { applyChange, type PlannedChange, planText } from '../writing-config/change-config.js';
import {
  type ChangeOptions,
  type FoundConfig,
  fileWith,
  findConfig,
  type ServerFile,
} from '../writing-config/config-file.js';
import { printChange } from '../writing-config/print-change.js';

export interface EditOptions extends ChangeOptions {
  /** The editor opens the file that has it, at its line if it can. */
  readonly server?: string | undefined;
}

/** Opens a private copy of a config file in the user's editor, and writes it back once it is valid. */
export async function edit(options: EditOptions, io: Io): Promise<ExitCode> {
  const found = await findConfig(options, io);
  const file = options.server === undefined ? firstFile(found) : fileWith(options.server, found);
  const editor = editorOf(io);
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-edit-'));
  const copy = join(folder, basename(file.path));
  let isKept = false;
  try {
    await writeFile(copy, file.text ?? '', { mode: 0o600 });
    const plan = await editUntilValid({ file, found, copy, line: lineOf(options.server, file) }, editor, io);
    const texts = { path: file.path, before: file.text ?? '', after: plan.after };
    const agreed = options.dryRun ? [] : await consentByEdit(texts, options, io);
    const onWritten = () => storeConsent(agreed, io);
    const report = await applyChange(plan, { ...options, command: 'edit', onWritten }, io).catch((error: unknown) => {
      isKept = true;
      throw error;
    });
    if (options.json) printJson(report, io);
    else {
      const { green } = stylesFor(io.stdout, io);
      const headline = `${green('✓')} Changed ${printable(file.shown)}.`;
      printChange(report, { headline, warnings: plan.warnings }, io);
      if (report.written && agreed.length > 0) {
        const names = printableLine(agreed.map(({ server }) => server).join(', '), 500);
        printNote(`Your edit is your consent to what it starts: ${names}.`, io);
      }
    }
    return exitCodes.ok;
  } finally {
    if (isKept) printNote(`Your text is kept in ${copy}`, io);
    else await rm(folder, { recursive: true, force: true });
  }
}

function firstFile({ files }: FoundConfig): ServerFile {
  const [first] = files;
  if (first !== undefined) return first;
  throw new CommandError(exitCodes.config, 'There is no config file to edit.', {
    hint: 'Run "mcpx init" or "mcpx add" to write one.',
  });
}

function editorOf({ env }: Io): string {
  const editor = env.VISUAL || env.EDITOR || (platform() === 'win32' ? 'notepad' : undefined);
  if (editor !== undefined) return editor;
  throw new UsageError('There is no editor: neither VISUAL nor EDITOR is set.', {
    hint: 'For example: EDITOR=nano mcpx edit',
  });
}

interface EditedCopy {
  readonly file: ServerFile;
  readonly found: FoundConfig;
  readonly copy: string;
  readonly line: number | undefined;
}

/** @throws {CommandError} The text is invalid and the user does not go on editing. */
async function editUntilValid({ file, found, copy, line }: EditedCopy, editor: string, io: Io): Promise<PlannedChange> {
  for (;;) {
    await runEditor(editor, copy, line, io);
    try {
      return planText(found, file, await readFile(copy, 'utf8'));
    } catch (error) {
      if (!(error instanceof CommandError) || !canAsk(io)) throw error;
      await reportError(error, io, { isVerbose: false });
      const next = await askOne('What do you want to do?', answers, io);
      if (next === 'discard')
        throw new CommandError(exitCodes.config, 'Discarded. Nothing was written.', { cause: error });
    }
  }
}

const answers = [
  { value: 'edit', label: 'Edit it again' },
  { value: 'discard', label: 'Discard the changes' },
] as const;

/** The value of EDITOR is a command line for the shell, such as `code --wait`. */
async function runEditor(editor: string, copy: string, line: number | undefined, io: Io): Promise<void> {
  const position = line !== undefined && takesLine.test(editor) ? [`+${line}`] : [];
  const words = [...position, copy];
  const options = {
    stdio: 'inherit',
    env: { ...windowsVariables, ...io.env } as NodeJS.ProcessEnv,
    cwd: io.cwd,
  } as const;
  const child =
    platform() === 'win32'
      ? spawn(`${editor} ${words.map((word) => `"${word}"`).join(' ')}`, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, ...words], options);
  const [code, signal] = (await once(child, 'exit', { signal: io.signal })) as [number | null, string | null];
  if (code === 0) return;
  throw new CommandError(
    exitCodes.failed,
    `The editor "${printable(editor)}" ended with ${signal ?? code}. Nothing was written.`,
  );
}

const takesLine = /(?:^|\/)(?:vi|vim|nvim|nano|emacs|micro|kak)(?:\s|$)/;

function lineOf(server: string | undefined, { text = '', shown }: ServerFile): number | undefined {
  if (server === undefined) return undefined;
  const { config, partial } = checkConfig({ text, file: shown }, { variables: 'keep' });
  return (config ?? partial)?.servers.find(({ name }) => name === server)?.source.line;
}
