import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';
import { positiveNumber, wholeNumber } from './option-values.js';

/** Commands about tools. */
export const toolCommands: CommandTable = {
  discover: (program, choose) => {
    addCommand(program, 'discover', 'list the tools of one server', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .option('--refresh', 'ask the server also when its tools are known; starts it if need be')
      .action((server: string, options: CommonOptions & { refresh?: boolean }) =>
        choose(async (io) => (await import('../commands/discover.js')).discover({ ...options, server }, io)),
      );
  },
  search: (program, choose) => {
    addCommand(program, 'search', 'find tools by words or by a regular expression', { starts: true })
      .argument('<query...>', 'words such as read a file, or a pattern with --regex')
      .option('--regex', 'read the query as a regular expression (RE2 syntax, linear time)')
      .option('--role <role>', 'search only what this role may use')
      .option('--server <server>', 'search the tools of one server')
      .option('--limit <number>', 'most tools to show, 1 to 100', wholeNumber(1, 100), 10)
      .option('--refresh', 'ask the servers for their tools first; starts those with auto_start')
      .action(
        (
          words: string[],
          options: CommonOptions & {
            regex?: boolean;
            role?: string;
            server?: string;
            limit: number;
            refresh?: boolean;
          },
        ) =>
          choose(async (io) =>
            (await import('../commands/search.js')).search({ ...options, query: words.join(' ') }, io),
          ),
      );
  },
  describe: (program, choose) => {
    addCommand(program, 'describe', 'show what a tool is for and what it takes')
      .argument('<tool>', 'name as "mcpx search" shows it, or server.tool')
      .option('--role <role>', 'as this role: what it may not use does not exist')
      .action((tool: string, options: CommonOptions & { role?: string }) =>
        choose(async (io) => (await import('../commands/describe.js')).describe({ ...options, tool }, io)),
      );
  },
  call: (program, choose) => {
    addCommand(program, 'call', 'call one tool and print its result', { starts: true })
      .showHelpAfterError(
        'Arguments of the tool are written key=value. Run "mcpx call --help" to see what else it takes.',
      )
      .argument('<tool>', 'name as "mcpx search" shows it, such as mcp__filesystem__read_text_file, or server.tool')
      .argument('[arguments...]', 'a JSON object, or - to read it from stdin, or key=value, or key:=json')
      .option('--role <role>', 'call as this role: what it may not use does not exist')
      .option('--timeout <seconds>', 'longest wait for the result', positiveNumber, 60)
      .option('-o, --output <directory>', 'where images and other binary data go; default: a new temporary directory')
      .action(
        (tool: string, words: string[], options: CommonOptions & { role?: string; timeout: number; output?: string }) =>
          choose(async (io) => (await import('../commands/call.js')).call({ ...options, tool, words }, io)),
      );
  },
};
