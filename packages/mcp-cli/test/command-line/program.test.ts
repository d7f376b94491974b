import type { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Io } from '../../src/command.js';
import { completing } from '../../src/command-line/config-commands.js';
import { commandLine } from '../../src/command-line/program.js';

const io = { stdout: {}, stderr: {} } as unknown as Io;
const whole = commandLine(io, () => undefined);

/** The help of a command and of all below it. */
function helpOf(command: Command): string {
  return [command.helpInformation(), ...command.commands.map(helpOf)].join('\n');
}

test.each(whole.commands.map((command) => [command.name(), command] as const))(
  'the program for %s has it as the whole one has, and no other',
  (name, command) => {
    const { commands } = commandLine(io, () => undefined, name);
    if (name !== completing) expect(commands.map((each) => each.name())).toEqual([name]);
    const found = commands.find((each) => each.name() === name);
    expect(found && helpOf(found)).toBe(helpOf(command));
  },
);

test.each(['help', '--help', 'statsu', ''])('the first word "%s" builds every command', (word) => {
  expect(helpOf(commandLine(io, () => undefined, word))).toBe(helpOf(whole));
});
