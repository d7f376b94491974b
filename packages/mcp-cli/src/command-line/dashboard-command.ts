import type { CommonOptions } from '../command-options.js';
import { addCommand, type CommandTable } from './add-command.js';

export const dashboardCommand: CommandTable = {
  dashboard: (program, choose) => {
    addCommand(program, 'dashboard', 'open a local web page with the servers of the daemon', { starts: true })
      .option('--no-open', 'print the link without opening it')
      .option('--read-only', 'create a link that can change nothing')
      .action((options: CommonOptions & { open: boolean; readOnly?: boolean }) =>
        choose(async (io) => (await import('../commands/dashboard.js')).dashboard(options, io)),
      );
  },
};
