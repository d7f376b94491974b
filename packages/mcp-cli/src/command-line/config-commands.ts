import type { Command } from 'commander';
import type { CommonOptions } from '../command-options.js';
import { addCommand, type Choose } from './add-command.js';

/** Commands about what should run. */
export function addConfigCommands(program: Command, choose: Choose): void {
  addCommand(program, 'validate', 'check the config, and say which servers your tools need').action(
    (options: CommonOptions) => choose(async (io) => (await import('../commands/validate.js')).validate(options, io)),
  );
}
