import { Command, Help } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Io } from '../command.js';
import { fit } from '../output/fit.js';
import { accessCommands } from './access-commands.js';
import type { Choose, CommandTable } from './add-command.js';
import { changeCommands } from './change-commands.js';
import { completing, configCommands, helpingCommands } from './config-commands.js';
import { daemonCommands, dashboardCommand } from './daemon-commands.js';
import { addExamples } from './examples.js';
import { serveCommand } from './serve-command.js';
import { serverCommands } from './server-commands.js';
import { toolCommands } from './tool-commands.js';

/** In the order of the help, by heading. */
const groups: Readonly<Record<string, CommandTable>> = {
  'Config:': { ...configCommands, ...changeCommands },
  'Servers:': serverCommands,
  'Tools:': toolCommands,
  'Access:': accessCommands,
  'Sharing:': { ...serveCommand, ...daemonCommands, ...dashboardCommand },
  'Help:': helpingCommands,
};

const commands: CommandTable = Object.assign({}, ...Object.values(groups));

/**
 * The commands with their arguments and options. Parsing calls `choose` with the named command and runs nothing.
 *
 * @param firstWord - If it names a command, only that one is built, because building all takes longer than a request to
 *   the daemon.
 */
export function commandLine(io: Io, choose: Choose, firstWord = ''): Command {
  // Completion needs all other commands.
  const wanted = firstWord !== completing && Object.hasOwn(commands, firstWord) ? firstWord : undefined;
  const program = new Command('mcpx')
    .description('Check, start, search, call and serve MCP servers.')
    .version(packageJson.version)
    .showHelpAfterError('Run "mcpx --help" to see every command.')
    .addHelpText('after', `${optionHelp}\n${beginHelp}\n${exitCodeHelp}`);
  // Sub-commands inherit these settings when they are added, so they come first.
  program
    .exitOverride()
    .configureHelp(narrowHelp)
    .configureOutput({
      writeOut: (text) => io.stdout.write(fit(text, io.stdout)),
      writeErr: (text) => io.stderr.write(fit(text, io.stderr)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    });

  for (const [heading, table] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [name, add] of Object.entries(table)) if (wanted === undefined || name === wanted) add(program, choose);
  }
  program.helpCommand(true); // in the last group
  addExamples(program);
  // Applies to the help of the program only; the help of one command is never prepared.
  program.configureOutput({ getOutHelpWidth: () => helpWidth(io.stdout.columns) });
  return program;
}

/** The build prepares two widths; see `prepared-answer.ts`. */
function helpWidth(columns = 100): number {
  return columns >= 100 ? 100 : columns >= 80 || columns < 1 ? 80 : columns;
}

const leastColumns = 60;

/** On a narrow terminal, descriptions are below what they describe. */
const narrowHelp: Partial<Help> = {
  formatItem(term, termWidth, description, helper) {
    const { helpWidth = 80 } = helper;
    if (helpWidth >= leastColumns) return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    return [`  ${term}`, ...(description === '' ? [] : [`      ${description}`])].join('\n');
  },
};

const optionHelp = `
Options of most commands, before or behind their words:
  -c, --config <path>  config file or directory, in place of a search
  --from <host>        servers of a host app such as cursor, without a config
  --env-file <path>    values of variables in the config
  --json, --verbose    the result as JSON; more on stderr`;

const beginHelp = `
To begin:
  $ mcpx add files -- npx -y @modelcontextprotocol/server-filesystem .
  $ mcpx tools files
  $ mcpx call files.list_directory path=.`;

const exitCodeHelp = `
Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 config missing, invalid or without
consent, 4 server not started, 5 no such server or tool, 6 timed out,
130 interrupted.`;
