import type { CommonOptions } from '../command.js';
import type { UpOptions } from '../commands/up.js';
import { defaultMetricsPort } from '../serving/fixed-paths.js';
import { addCommand, type CommandTable, positiveMinutes, wholeNumber } from './add-command.js';

/** Message after Ctrl-C in a command whose servers run in the daemon. */
const staysInDaemon = {
  interrupted:
    'Interrupted. The daemon and its servers keep running; "mcpx status" shows them, "mcpx down" stops them.',
};

export const serverCommands: CommandTable = {
  list: (program, choose) => {
    addCommand(program, 'list', 'list servers with their state, tools and file; starts none')
      .alias('ls')
      .argument('[server...]', 'names of servers (default: all)')
      .action((servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/list.js')).list({ ...options, servers }, io)),
      );
  },
  status: (program, choose) => {
    addCommand(program, 'status', 'show the status of servers; starts none')
      .argument('[server...]', 'names of servers (default: all)')
      .option('-w, --watch', 'continue until interrupted')
      .action((servers: string[], options: CommonOptions & { watch?: boolean }) =>
        choose(async (io) => (await import('../commands/servers.js')).status({ ...options, servers }, io)),
      );
  },
  up: (program, choose) => {
    addCommand(program, 'up', 'start servers in the daemon, and the daemon if necessary', { starts: true })
      .argument('[server...]', 'names of servers (default: all with auto_start)')
      .option('--foreground', 'run the daemon in this terminal until interrupted')
      .option('--idle-exit <minutes>', 'end a newly started daemon after this time without use', positiveMinutes)
      .option('--metrics-token-file <file>', 'serve metrics for Prometheus to callers with this token')
      .option(
        '--metrics-port <port>',
        `port of the metrics on 127.0.0.1 (default: ${defaultMetricsPort})`,
        wholeNumber(0, 65_535),
      )
      .action((servers: string[], options: Omit<UpOptions, 'servers'>) =>
        choose(async (io) => (await import('../commands/up.js')).up({ ...options, servers }, io), staysInDaemon),
      );
  },
  down: (program, choose) => {
    addCommand(program, 'down', 'stop the daemon and all its servers')
      .option('--now', 'do not wait for calls in progress')
      .action((options: CommonOptions & { now?: boolean }) =>
        choose(async (io) => (await import('../commands/up.js')).down(options, io), {
          interrupted: 'Interrupted. The daemon continues to stop; "mcpx daemon status" shows when it is gone.',
        }),
      );
  },
  start: (program, choose) => {
    addCommand(program, 'start', 'start servers in the daemon, regardless of auto_start', { starts: true })
      .argument('<server...>', 'names of servers in the config')
      .action((servers: string[], options: CommonOptions) =>
        choose(
          async (io) => (await import('../commands/start-stop.js')).start({ ...options, servers }, io),
          staysInDaemon,
        ),
      );
  },
  stop: (program, choose) => {
    addCommand(program, 'stop', 'stop servers of the daemon')
      .argument('<server...>', 'names of servers in the config')
      .option('--force', 'kill them at once, without waiting for calls in progress')
      .action((servers: string[], options: CommonOptions & { force?: boolean }) =>
        choose(
          async (io) => (await import('../commands/start-stop.js')).stop({ ...options, servers }, io),
          staysInDaemon,
        ),
      );
  },
  restart: (program, choose) => {
    addCommand(program, 'restart', 'restart servers of the daemon', { starts: true })
      .argument('[server...]', 'names of servers (default: all that are running)')
      .action((servers: string[], options: CommonOptions) =>
        choose(
          async (io) => (await import('../commands/start-stop.js')).restart({ ...options, servers }, io),
          staysInDaemon,
        ),
      );
  },
  health: (program, choose) => {
    addCommand(program, 'health', 'run a health check on servers')
      .argument('[server...]', 'names of servers (default: all)')
      .action((servers: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/servers.js')).health({ ...options, servers }, io)),
      );
  },
  capabilities: (program, choose) => {
    addCommand(program, 'capabilities', 'show the capabilities of a server; starts it if necessary', { starts: true })
      .argument('<server>', 'name of a server in the config')
      .action((server: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/servers.js')).capabilities({ ...options, server }, io)),
      );
  },
  logs: (program, choose) => {
    addCommand(program, 'logs', 'show stderr and log messages of a server, or with --events what happened to servers')
      .argument('[server...]', 'name of one server in the config; with --events any number (default: all)')
      .option('--events', 'show starts, failed checks, restarts, crashes and withdrawals')
      .option('-f, --follow', 'continue with new lines')
      .option('-n, --lines <number>', 'maximum number of stored lines', wholeNumber(0, 100_000), 200)
      .action((servers: string[], options: CommonOptions & { events?: boolean; follow?: boolean; lines: number }) =>
        choose(async (io) =>
          options.events
            ? (await import('../commands/daemon.js')).serverEvents({ ...options, servers }, io)
            : (await import('../commands/servers.js')).logs({ ...options, servers }, io),
        ),
      );
  },
  requirements: (program, choose) => {
    addCommand(program, 'requirements', 'list the servers that tools need, and their status')
      .option('--strict', 'exit with 1 also if a recommended server is missing')
      .action((options: CommonOptions & { strict?: boolean }) =>
        choose(async (io) => (await import('../commands/requirements.js')).requirements(options, io)),
      );
  },
};
