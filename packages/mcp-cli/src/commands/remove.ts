import type { EntryEdit } from '@x/mcp-host-sync/edit';
import { type ExitCode, exitCodes, type Io } from '../command.js';
import { printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { applyChange, changedOnce, planEdits } from '../writing-config/change-config.js';
import { type ChangeOptions, type Entry, entriesIn, fileWith, findConfig } from '../writing-config/config-file.js';
import { printChange } from '../writing-config/print-change.js';

export interface NamedServerOptions extends ChangeOptions {
  readonly server: string;
}

/** Removes a server from the file that has it. */
export async function remove(options: NamedServerOptions, io: Io): Promise<ExitCode> {
  const { server: name } = options;
  return changeServer(
    options,
    { command: 'remove', done: 'Removed', where: 'from' },
    () => ({ type: 'remove', name }),
    io,
  );
}

export async function enable(options: NamedServerOptions, io: Io): Promise<ExitCode> {
  return toggle(options, false, io);
}

/** Keeps the entry; the server does not start. */
export async function disable(options: NamedServerOptions, io: Io): Promise<ExitCode> {
  return toggle(options, true, io);
}

async function toggle(options: NamedServerOptions, disabled: boolean, io: Io): Promise<ExitCode> {
  const { server: name } = options;
  const words = disabled
    ? { command: 'disable', done: 'Disabled', where: 'in' }
    : { command: 'enable', done: 'Enabled', where: 'in' };
  const edit = (entry: Entry): EntryEdit => {
    const set = disabled && entry.disabled !== true ? [{ path: ['disabled'], value: true }] : [];
    const unset = !disabled && Object.hasOwn(entry, 'disabled') ? [['disabled']] : [];
    return { type: 'update', name, set, unset };
  };
  return changeServer(options, words, edit, io);
}

interface Words {
  readonly command: string;
  readonly done: string;
  readonly where: string;
}

async function changeServer(
  options: NamedServerOptions,
  { command, done, where }: Words,
  edit: (entry: Entry) => EntryEdit,
  io: Io,
): Promise<ExitCode> {
  const { server, json } = options;
  const { file, plan, report } = await changedOnce(async () => {
    const found = await findConfig(options, io);
    const file = fileWith(server, found);
    const plan = planEdits(found, file, [edit(entriesIn(file).get(server) ?? {})]);
    return { file, plan, report: await applyChange(plan, { ...options, command: `${command} ${server}` }, io) };
  }, io);
  if (json) {
    printJson({ server, ...report }, io);
    return exitCodes.ok;
  }
  const { green } = stylesFor(io.stdout, io);
  const headline = `${green('✓')} ${done} ${printableLine(server, 200)} ${where} ${printable(file.shown)}.`;
  printChange(report, { headline, warnings: plan.warnings }, io);
  if (report.written && command === 'remove') io.stdout.write('"mcpx config undo" puts it back.\n');
  return exitCodes.ok;
}
