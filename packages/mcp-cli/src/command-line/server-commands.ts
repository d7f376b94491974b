import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';
import { positiveMinutes, wholeNumber } from './option-values.js';

/** What Ctrl-C leaves behind of a command whose servers live in the daemon. */
const staysInDaemon = {
  interrupted: 'Interrupted. The daemon and its servers go on; "mcpx status" shows them, "mcpx down" stops them.',
};

/** Commands about running servers. */
export const serverCommands: CommandTable = {
  status: (program, choose) => {
    addCommand(program, 'status', 'show a table of servers; starts none')
      .argument('[server...]', 'names of servers; without any, all')
      .option('-w, --watch', 'go on showing it until interrupted')
      .action((servers: string[], options: CommonOptions & { watch?: boolean }) =>
        choose(async (io) => (await import('../commands/status.js')).status({ ...options, servers }, io)),
      );
  },
  up: (program, choose) => {
    addCommand(program, 'up', 'keep servers running: start the daemon and, in it, servers', { starts: true })
      .argument('[server...]', 'names of servers; without any, all with auto_start')
      .option('--foreground', 'be the daemon in this terminal, until it is interrupted')
      .option(
        '--idle-exit <minutes>',
        'have a daemon that this starts leave after so long without use',
        positiveMinutes,
      )
      .action((servers: string[], options: CommonOptions & { foreground?: boolean; idleExit?: number }) =>
        choose(async (io) => (await import('../commands/up.js')).up({ ...options, servers }, io), staysInDaemon),
      );
  },
  down: (program, choose) => {
    addCommand(program, 'down', 'stop the daemon and all its servers')
      .option('--now', 'wait for no call that is under way')
      .action((options: CommonOptions & { now?: boolean }) =>
        choose(async (io) => (await import('../commands/down.js')).down(options, io), {
          interrupted: 'Interrupted. The daemon goes on ending; "mcpx daemon status" shows whether it is gone.',
        }),
      );
  },
  start: (program, choose) => {
    addCommand(program, 'start', 'start servers in the daemon, whatever their auto_start says', { starts: true })
      .argument('<server...>', 'names of servers in the config')
      .action((servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/start.js')).start({ ...options, servers }, io), staysInDaemon),
      );
  },
  stop: (program, choose) => {
    addCommand(program, 'stop', 'stop servers of the daemon')
      .argument('<server...>', 'names of servers in the config')
      .action((servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/stop.js')).stop({ ...options, servers }, io), staysInDaemon),
      );
  },
  restart: (program, choose) => {
    addCommand(program, 'restart', 'start servers of the daemon anew', { starts: true })
      .argument('[server...]', 'names of servers; without any, those that run')
      .action((servers: string[], options: CommonOptions) =>
        choose(
          async (io) => (await import('../commands/restart.js')).restart({ ...options, servers }, io),
          staysInDaemon,
        ),
      );
  },
  health: (program, choose) => {
    addCommand(program, 'health', 'ask servers whether they are well, right now')
      .argument('[server...]', 'names of servers; without any, all')
      .action((servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/health.js')).health({ ...options, servers }, io)),
      );
  },
  capabilities: (program, choose) => {
    addCommand(program, 'capabilities', 'show what a server says of itself; starts it if need be', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/capabilities.js')).capabilities({ ...options, server }, io)),
      );
  },
  logs: (program, choose) => {
    addCommand(program, 'logs', 'show what a server of the daemon has written to stderr')
      .argument('<server>', 'name of a server in the config')
      .option('-f, --follow', 'go on with what it writes')
      .option('-n, --lines <number>', 'most lines of those that there are', wholeNumber(0, 100_000), 200)
      .action((server: string, options: CommonOptions & { follow?: boolean; lines: number }) =>
        choose(async (io) => (await import('../commands/logs.js')).logs({ ...options, server }, io)),
      );
  },
  requirements: (program, choose) => {
    addCommand(program, 'requirements', 'say which servers your tools need and whether they are there')
      .option('--strict', 'exit with 1 also when something recommended is missing')
      .action((options: CommonOptions & { strict?: boolean }) =>
        choose(async (io) => (await import('../commands/requirements.js')).requirements(options, io)),
      );
  },
};
