import type { Command } from 'commander';
import type { CommonOptions } from '../command-options.js';
import { addCommand, type Choose } from './add-command.js';
import { positiveNumber } from './option-values.js';

/** Commands about what is running. */
export function addServerCommands(program: Command, choose: Choose): void {
  addCommand(program, 'status', 'start the servers that may start by themselves and show a table of all').action(
    (options: CommonOptions) => choose(async (io) => (await import('../commands/status.js')).status(options, io)),
  );

  addCommand(program, 'up', 'keep servers running: start the daemon and, in it, servers')
    .argument('[server...]', 'names of servers; without any, all with auto_start')
    .option('--foreground', 'be the daemon in this terminal, until it is interrupted')
    .option('--idle-exit <minutes>', 'have a daemon that this starts leave after so long without use', positiveNumber)
    .action((servers: string[], options: CommonOptions & { foreground?: boolean; idleExit?: number }) =>
      choose(async (io) => (await import('../commands/up.js')).up({ ...options, servers }, io)),
    );

  addCommand(program, 'down', 'stop the daemon and all its servers')
    .option('--now', 'wait for no call that is under way')
    .action((options: CommonOptions & { now?: boolean }) =>
      choose(async (io) => (await import('../commands/down.js')).down(options, io)),
    );

  addCommand(program, 'start', 'start servers in the daemon, whatever their auto_start says')
    .argument('<server...>', 'names of servers in the config')
    .action((servers: string[], options: CommonOptions) =>
      choose(async (io) => (await import('../commands/start.js')).start({ ...options, servers }, io)),
    );

  addCommand(program, 'stop', 'stop servers of the daemon')
    .argument('<server...>', 'names of servers in the config')
    .action((servers: string[], options: CommonOptions) =>
      choose(async (io) => (await import('../commands/stop.js')).stop({ ...options, servers }, io)),
    );

  addCommand(program, 'restart', 'start servers of the daemon anew')
    .argument('[server...]', 'names of servers; without any, those that run')
    .action((servers: string[], options: CommonOptions) =>
      choose(async (io) => (await import('../commands/restart.js')).restart({ ...options, servers }, io)),
    );
}
