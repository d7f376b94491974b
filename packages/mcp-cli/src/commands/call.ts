import { text } from 'node:stream/consumers';
import type { ToolCallResult } from '@x/mcp-registry';
import type { CommonOptions } from '../command-options.js';
import { openStack, serversFor, viewFor } from '../compose.js';
import { type ExitCode, exitCodes, UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { resultText } from '../output/result-text.js';
import { nothingStarted, startServers } from '../start-servers.js';

export interface CallOptions extends CommonOptions {
  readonly tool: string;
  readonly json?: boolean;
  readonly role?: string;
  /** Seconds. */
  readonly timeout: number;
}

/** `mcpx call <tool> [json]`: starts what the tool needs, calls it once, prints its result. */
export async function call(
  { argumentsText, ...options }: CallOptions & { argumentsText: string },
  io: Io,
): Promise<ExitCode> {
  const args = parseArguments(argumentsText === '-' ? await text(io.stdin) : argumentsText);
  await using stack = await openStack(options, io);
  const view = viewFor(stack, options.role);
  const failure = nothingStarted(await startServers(stack, serversFor(options.tool, stack), options, io));
  if (failure) throw failure;

  const result = await view.call(options.tool, args, { signal: io.signal, timeoutMs: options.timeout * 1_000 });
  print(result, options, io);
  return result.isError ? exitCodes.failed : exitCodes.ok;
}

function print(result: ToolCallResult, { json, tool }: CallOptions, io: Io): void {
  if (json) {
    printJson(result, io);
  } else if (result.isError) {
    io.stderr.write(`The tool ${tool} reported an error:\n${resultText(result)}\n`);
  } else {
    io.stdout.write(`${resultText(result)}\n`);
  }
}

function parseArguments(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The arguments are not JSON: ${reason}.`, { hint: example, cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('The arguments must be a JSON object.', { hint: example });
  }
  return value as Record<string, unknown>;
}

const example = `Give them as one word, such as '{"path": "README.md"}', or as - and send them on stdin.`;
