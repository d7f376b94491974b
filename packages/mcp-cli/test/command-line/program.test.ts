import type { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Io } from '../../src/command.js';
import { usageAdvice } from '../../src/command-line/add-command.js';
import { completing } from '../../src/command-line/config-commands.js';
import { examples, typedLine } from '../../src/command-line/examples.js';
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

/** By the words that run them, without groups and what is hidden. */
function leavesOf(command: Command, before = ''): readonly string[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.flatMap((each) => {
    const words = `${before}${each.name()}`;
    if (each.name() === 'help') return [];
    return each.commands.length === 0 ? [words] : leavesOf(each, `${words} `);
  });
}

test('every command has examples, and the help shows them', () => {
  expect(Object.keys(examples).toSorted()).toEqual(leavesOf(whole).toSorted());
  let help = '';
  const told = { stdout: { write: (text: string) => (help += text) }, stderr: {} } as unknown as Io;
  expect(() => commandLine(told, () => undefined).parse(['daemon', 'reload', '--help'], { from: 'user' })).toThrow();
  expect(help).toMatch(/\nExample:\n {2}\$ mcpx daemon reload\n$/);
});

test('on Windows, examples quote the dashes that PowerShell would remove, and mistakes with them name the quotes', () => {
  const [line = ''] = examples.add ?? [];
  expect(typedLine(line, 'linux')).toBe('add files -- npx -y @modelcontextprotocol/server-filesystem .');
  expect(typedLine(line, 'win32')).toBe('add files "--" npx -y @modelcontextprotocol/server-filesystem .');
  expect(usageAdvice('add', { takesCommand: true, platform: 'win32' })).toBe(
    'In PowerShell, write "--" in quotes before a command. Run "mcpx add --help" for its arguments and options.',
  );
  const plain = 'Run "mcpx add --help" for its arguments and options.';
  expect(usageAdvice('add', { takesCommand: true, platform: 'linux' })).toBe(plain);
  expect(usageAdvice('add', { takesCommand: false, platform: 'win32' })).toBe(plain);
});

test('a group shows an example of each of its commands', () => {
  let help = '';
  const told = { stdout: { write: (text: string) => (help += text) }, stderr: {} } as unknown as Io;
  expect(() => commandLine(told, () => undefined).parse(['pins', '--help'], { from: 'user' })).toThrow();
  for (const words of ['pins', 'pins diff', 'pins approve', 'pins revoke', 'pins mode']) {
    expect(help).toContain(`  $ mcpx ${words}`);
  }
});

test('the help of the program names the common options and how to begin, on 80 columns', () => {
  let help = '';
  const told = { stdout: { write: (text: string) => (help += text), columns: 80 }, stderr: {} } as unknown as Io;
  expect(() => commandLine(told, () => undefined).parse(['--help'], { from: 'user' })).toThrow();
  for (const option of ['--config', '--from', '--env-file', '--json', '--verbose']) expect(help).toContain(option);
  expect(help).toContain('  $ mcpx tools files\n');
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test.each(Object.entries(examples).flatMap(([words, lines]) => lines.map((line) => [line, words] as const)))(
  'mcpx %s',
  (line, words) => {
    const chosen: unknown[] = [];
    const argv = [...line.replace(/ (>>|\|) .*/, '').matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(
      ([word, single, double]) => single ?? double ?? word,
    );
    expect(words.startsWith(argv[0] ?? '')).toBe(true);
    commandLine(io, (command) => chosen.push(command), argv[0]).parse(argv, { from: 'user' });
    expect(chosen).toHaveLength(1);
  },
);

test('the help of the program has its commands in groups', () => {
  const headings = whole.helpInformation().match(/^[A-Z]\w+:/gm);
  expect(headings).toEqual(['Usage:', 'Options:', 'Config:', 'Servers:', 'Tools:', 'Access:', 'Sharing:', 'Help:']);
});
