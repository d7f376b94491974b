import { platform as systemPlatform } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode, Io } from '../command.js';
import { configWord } from '../config/config-names.js';

export type CommandToRun = (io: Io) => Promise<ExitCode>;

export interface ChooseOptions {
  /** Message after an interruption. Default: `Interrupted.` */
  readonly interrupted?: string | undefined;
}

/** Receives the command that the words name. */
export type Choose = (command: CommandToRun, options?: ChooseOptions) => void;

/** Functions that add one command each, by the first word of the command. */
export type CommandTable = Readonly<Record<string, (program: Command, choose: Choose) => void>>;

interface AddOptions {
  /** Runs when no sibling is named. Default `false`. */
  readonly isDefault?: boolean;
  /** May start servers, so it accepts `--trust`. Default `false`. */
  readonly starts?: boolean;
  /** Reads config files only, none of host apps. Default `false`. */
  readonly filesOnly?: boolean;
  /** Prints a result, so it accepts `--json`. Default `true`. */
  readonly prints?: boolean;
  /** Accepts a command line after `--`. Default `false`. */
  readonly takesCommand?: boolean;
}

/** Adds a command with the options that all commands on a config share. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  { isDefault = false, starts = false, filesOnly = false, prints = true, takesCommand = false }: AddOptions = {},
): Command {
  const words = parent.parent ? `${parent.name()} ${name}` : name;
  const command = parent
    .command(name, { isDefault })
    .description(description)
    .showHelpAfterError(usageAdvice(words, { takesCommand }))
    .option('-c, --config <path>', 'config file or directory (repeatable)', collect)
    .allowExcessArguments(false);
  if (prints) command.option('--json', 'print the result as JSON');
  command.option('--verbose', 'also show stderr of servers and stacks of errors');
  if (!filesOnly) for (const option of namingOptions()) command.addOption(option);
  return starts ? command.option('--trust', 'give consent to the servers of this config without a prompt') : command;
}

/** What to do after a mistake in the words of a command. */
export function usageAdvice(
  words: string,
  { takesCommand, platform = systemPlatform() }: { readonly takesCommand: boolean; readonly platform?: string },
): string {
  const quotes = takesCommand && platform === 'win32' ? 'In PowerShell, write "--" in quotes before a command. ' : '';
  return `${quotes}Run "mcpx ${words} --help" for its arguments and options.`;
}

function namingOptions(): readonly Option[] {
  return [
    new NamingOption(
      '--from <host>',
      'use the servers of this host app, such as cursor, in place of a config (repeatable)',
      'hosts',
    ),
    new NamingOption('--env-file <path>', 'file with values of variables in the config (repeatable)', 'envFiles'),
  ];
}

/** Adds to the words of `--config`. */
class NamingOption extends Option {
  constructor(flags: string, description: string, kind: 'hosts' | 'envFiles') {
    super(flags, description);
    this.argParser<readonly string[]>((name, words = []) => [...words, configWord(kind, name)]);
  }

  override attributeName(): string {
    return 'config';
  }
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Parses seconds, at most one day. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('Give a number of seconds, more than 0 and at most 86400.');
}

/** Parses minutes, at most 30 days. */
export function positiveMinutes(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 43_200) return value;
  throw new InvalidArgumentError('Give a number of minutes, more than 0 and at most 43200.');
}
