import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommonOptions } from './command-options.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';
import { collect, positiveNumber, wholeNumber } from './option-values.js';
import { addServeOptions } from './serve-command.js';
import type { ServeOptions } from './serving/serve-options.js';

/** A command with its options, loaded when it is run. */
export type CommandToRun = (io: Io) => Promise<ExitCode>;

/** Every command with its arguments and options. Parsing tells `choose` which one is meant; nothing runs yet. */
export function commandLine(io: Io, choose: (command: CommandToRun) => void): Command {
  const program = new Command('mcpx')
    .description('Check, start, search, call and serve MCP servers.')
    .version(packageJson.version)
    .showHelpAfterError('Run "mcpx --help" to see every command.')
    .addHelpText('after', exitCodeHelp);
  // Sub-commands inherit these when they are added, so they come first.
  program.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 100,
    getErrHelpWidth: () => io.stderr.columns ?? 100,
  });

  addCommand(program, 'validate', 'check the config, and say which servers your tools need').action(
    (options: CommonOptions) => choose(async (io) => (await import('./commands/validate.js')).validate(options, io)),
  );

  addCommand(program, 'status', 'start the servers that may start by themselves and show a table of all').action(
    (options: CommonOptions) => choose(async (io) => (await import('./commands/status.js')).status(options, io)),
  );

  addCommand(program, 'discover', 'start one server and list its tools')
    .argument('<server>', 'name of a server in the config')
    .action((server: string, options: CommonOptions) =>
      choose(async (io) => (await import('./commands/discover.js')).discover({ ...options, server }, io)),
    );

  addCommand(program, 'search', 'find tools by words or by a regular expression')
    .argument('<query>', 'words such as "read a file", or a pattern with --regex')
    .option('--regex', 'read the query as a regular expression (RE2 syntax, linear time)')
    .option('--role <role>', 'search only what this role may use')
    .option('--server <server>', 'search the tools of one server')
    .option('--limit <number>', 'most tools to show, 1 to 100', wholeNumber(1, 100), 10)
    .action(
      (query: string, options: CommonOptions & { regex?: boolean; role?: string; server?: string; limit: number }) =>
        choose(async (io) => (await import('./commands/search.js')).search({ ...options, query }, io)),
    );

  addCommand(program, 'call', 'call one tool and print its result')
    .argument('<tool>', 'name as "mcpx search" shows it, such as mcp__filesystem__read_text_file')
    .argument('[arguments]', 'a JSON object, or - to read it from stdin', '{}')
    .option('--role <role>', 'call as this role: what it may not use does not exist')
    .option('--timeout <seconds>', 'longest wait for the result', positiveNumber, 60)
    .action((tool: string, argumentsText: string, options: CommonOptions & { role?: string; timeout: number }) =>
      choose(async (io) => (await import('./commands/call.js')).call({ ...options, tool, argumentsText }, io)),
    );

  addServeOptions(addCommand(program, 'serve', 'serve everything as one MCP server, over stdio or HTTP')).action(
    (servers: string[], options: Omit<ServeOptions, 'servers'>) =>
      choose(async (io) => (await import('./commands/serve.js')).serve({ ...options, servers }, io)),
  );

  return program;
}

function addCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('-c, --config <path>', 'config file or directory; may be given several times', collect)
    .option('--json', 'print the result as JSON')
    .option('--verbose', 'show more: what servers write to stderr, and stacks of errors')
    .allowExcessArguments(false);
}

const exitCodeHelp = `
Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 config missing or wrong, 4 server did not start,
5 no such server or tool, 6 timed out, 130 interrupted.`;
