import type { Command } from 'commander';
import type { ExitCode } from '../exit-codes.js';
import type { Io } from '../io.js';
import { collect } from './option-values.js';

/** A command with its options, loaded when it is run. */
export type CommandToRun = (io: Io) => Promise<ExitCode>;

export interface ChooseOptions {
  /** What is said when the command is interrupted. Default: that it was. */
  readonly interrupted?: string | undefined;
}

/** Told which command is meant. */
export type Choose = (command: CommandToRun, options?: ChooseOptions) => void;

/** Each function adds one command to the program; the key is the first word of the command. */
export type CommandTable = Readonly<Record<string, (program: Command, choose: Choose) => void>>;

export interface AddOptions {
  /** Meant where none of its siblings is named. Default `false`. */
  readonly isDefault?: boolean;
  /** May start servers, so that it takes `--trust`. Default `false`. */
  readonly starts?: boolean;
}

/** A command with the options that all commands on a config have. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  { isDefault = false, starts = false }: AddOptions = {},
): Command {
  const words = parent.parent ? `${parent.name()} ${name}` : name;
  const command = parent
    .command(name, { isDefault })
    .description(description)
    .showHelpAfterError(`Run "mcpx ${words} --help" to see what it takes.`)
    .option('-c, --config <path>', 'config file or directory; may be given several times', collect)
    .option('--json', 'print the result as JSON')
    .option('--verbose', 'show more: what servers write to stderr, and stacks of errors')
    .allowExcessArguments(false);
  return starts
    ? command.option('--trust', 'agree to what the servers of this config run, without being asked')
    : command;
}
