import type { CommonOptions } from '../command-options.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findTool } from '../find-tool.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { printJson } from '../output/print-json.js';
import { printable } from '../output/printable.js';

/** Prints a tool's description and input schema. Starts its server only if the tool is unknown. */
export async function describe(
  options: CommonOptions & { readonly tool: string; readonly role?: string },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const description = await findTool(control, options, io);
  if (options.json) printJson(description, io);
  else io.stdout.write(`${printable(description.text)}\n`);
  return exitCodes.ok;
}
