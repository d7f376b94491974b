import type { CommonOptions } from '../command-options.js';
import { openStack, viewFor } from '../compose.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printable } from '../output/printable.js';
import { toolLines } from '../output/tool-lines.js';
import { nothingStarted, startServers } from '../start-servers.js';

export interface SearchOptions extends CommonOptions {
  readonly query: string;
  readonly regex?: boolean;
  readonly role?: string;
  readonly server?: string;
  readonly limit: number;
}

/** `mcpx search <query>`: what `search_mcp_tools` finds, over every server that may start by itself. */
export async function search(options: SearchOptions, io: Io): Promise<ExitCode> {
  await using stack = await openStack(options, io);
  const view = viewFor(stack, options.role);
  const { query, regex: useRegex = false, server, limit } = options;
  // The one server that was named is started whatever its config says.
  const wanted =
    server === undefined
      ? stack.manager.servers().filter(({ status }) => status.autoStart)
      : [stack.manager.server(server)];
  const failure = nothingStarted(await startServers(stack, wanted, options, io));
  if (failure) throw failure;

  const result = await view.search({ query, useRegex, limit, ...(server !== undefined && { server }) });
  if (options.json) {
    printJson(result, io);
    return exitCodes.ok;
  }
  if (result.tools.length > 0) io.stdout.write(toolLines(result.tools, io));
  io.stdout.write(`${result.returned} of ${result.total} ${result.total === 1 ? 'match' : 'matches'}\n`);
  if (result.hint !== undefined) io.stderr.write(`${printable(result.hint)}\n`);
  return exitCodes.ok;
}
