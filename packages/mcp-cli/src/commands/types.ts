import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { type DeclaredTool, toTypeScript } from '@x/mcp-registry/typescript';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { openControl } from '../open-control.js';
import { printableLine, printJson } from '../output/print.js';
import { serversWithoutTools } from '../servers/server-rows.js';

interface TypesOptions extends CommonOptions {
  readonly role?: string;
  /** Default: stdout. */
  readonly output?: string;
}

/** Writes declarations of the known tools, also of stopped servers. Starts no server. */
export async function types(options: TypesOptions, io: Io): Promise<ExitCode> {
  const { role, output, json } = options;
  await using control = await openControl(options, io);
  const { tools, unusable } = await knownTools(control, role, io);
  const text = toTypeScript({ list: () => tools });
  const { servers } = await control.status({ signal: io.signal });
  const notIncluded = serversWithoutTools(servers).filter((name) => !unusable.includes(name));
  if (output !== undefined) await write(resolve(io.cwd, output), text);
  if (json) printJson({ types: text, tools: tools.length, notIncluded }, io);
  else if (output === undefined) io.stdout.write(text);
  else io.stderr.write(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} in ${printableLine(output, 500)}\n`);
  if (!json && notIncluded.length > 0) {
    const names = printableLine(notIncluded.join(', '), 300);
    io.stderr.write(`Not included, because their tools are unknown: ${names}. ${discoverHint(notIncluded)}\n`);
  }
  return exitCodes.ok;
}

function discoverHint([first = '']: readonly string[]): string {
  return `To list the tools of one, run "mcpx discover ${printableLine(first, 60)}".`;
}

/** @throws {CommandError} The file cannot be written. */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new CommandError(exitCodes.failed, `The declarations cannot be written: ${messageOf(error)}`);
  }
}

async function knownTools(control: Control, role: string | undefined, { signal }: Io) {
  const tools: DeclaredTool[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { unusable = [], ...page } = await control.search({
      request: { query: '*', include: 'known', detail: 'full', limit: 100, ...(cursor !== undefined && { cursor }) },
      role,
      signal,
    });
    tools.push(...page.tools.map(({ inputSchema = { type: 'object' }, ...tool }) => ({ ...tool, inputSchema })));
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools, unusable };
  }
}
