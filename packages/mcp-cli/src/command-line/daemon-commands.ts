import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

export const daemonCommands: CommandTable = {
  daemon: (program, choose) => {
    const daemon = program.command('daemon').description('manage the daemon');
    addCommand(daemon, 'status', 'show the daemon; exits with 1 if none is running').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/daemon.js')).daemonStatus(options, io)),
    );
    addCommand(daemon, 'reload', 'make the daemon read its config again').action((options: CommonOptions) =>
      choose(async (io) => (await import('../commands/daemon.js')).daemonReload(options, io)),
    );
    addCommand(daemon, 'logs', "show the end of the daemon's own log")
      .option('-f, --follow', 'continue with new lines')
      .action((options: CommonOptions & { follow?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonLogs(options, io)),
      );
    addCommand(daemon, 'install', 'print a systemd user unit or launchd plist for the daemon')
      .option('--yes', 'write the file')
      .action((options: CommonOptions & { yes?: boolean }) =>
        choose(async (io) => (await import('../commands/daemon.js')).daemonInstall(options, io)),
      );
  },
};
