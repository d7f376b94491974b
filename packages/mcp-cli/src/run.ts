import { CommanderError } from 'commander';
import { type ExitCode, exitCodes, type Io } from './command.js';
import type { Choose, ChooseOptions, CommandToRun } from './command-line/add-command.js';
import { commonFirst } from './command-line/common-first.js';
import { commandLine } from './command-line/program.js';

/**
 * Runs one `mcpx` command and resolves to its exit code. Never rejects, never ends the process, leaves no process
 * behind.
 *
 * @param argv - The words after `mcpx`.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let chosen: (ChooseOptions & { readonly command: CommandToRun }) | undefined;
  const words = commonFirst(argv);
  const choose: Choose = (command, options) => {
    chosen = { command, ...options };
  };
  const program = commandLine(io, choose, words[0]);
  if (argv.length === 0) {
    program.outputHelp(); // no command is no mistake
    return exitCodes.ok;
  }
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    if (!isGiven(argv, '--json')) return exitCodes.usage;
    const { reportUsage } = await import('./output/report-error.js');
    return reportUsage(error.message, io);
  }
  if (!chosen) return exitCodes.ok;
  const { command, interrupted } = chosen;
  try {
    return await command(io);
  } catch (error) {
    const { reportError } = await import('./output/report-error.js');
    const [isVerbose, isJson] = [isGiven(argv, '--verbose'), isGiven(argv, '--json')];
    return await reportError(error, io, { isVerbose, isJson, interrupted });
  }
}

/** True if an option is given. Words after `--` are no options. */
function isGiven(argv: readonly string[], option: string): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(option);
}
