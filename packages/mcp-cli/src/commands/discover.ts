import type { CommonOptions } from '../command-options.js';
import { openStack } from '../compose.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { showSteps } from '../output/start-steps.js';
import { stylesFor } from '../output/styles.js';
import { toolLines } from '../output/tool-lines.js';

/** `mcpx discover <server>`: starts one server, whatever its config says, and lists the tools that it offers. */
export async function discover(options: CommonOptions & { server: string }, io: Io): Promise<ExitCode> {
  await using stack = await openStack(options, io);
  const server = stack.manager.server(options.server);
  using _steps = showSteps(stack, io, { isVerbose: options.verbose ?? false });
  const tools = await server.discoverTools({ signal: io.signal });
  const capabilities = await server.capabilities({ signal: io.signal });

  if (options.json) {
    printJson({ server: server.name, protocolVersion: server.session?.protocolVersion, capabilities, tools }, io);
    return exitCodes.ok;
  }
  const { bold } = stylesFor(io.stdout, io);
  io.stdout.write(`${bold(server.name)} offers ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}\n`);
  io.stdout.write(toolLines(tools, io));
  for (const problem of server.status.catalogProblems) io.stderr.write(`warning: ${problem}\n`);
  return exitCodes.ok;
}
