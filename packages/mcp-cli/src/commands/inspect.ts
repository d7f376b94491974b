import type { ServerPrompt, ServerResource, ServerResourceTemplate } from '@x/mcp-client-manager';
import { declaredIn, recordOf } from '../call-words/schema-types.js';
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { isControlError } from '../control/control-error.js';
import type { CapabilitiesReport, DiscoveryReport } from '../control/reports.js';
import { printCapabilities } from '../output/capabilities-text.js';
import { fit, printNote } from '../output/fit.js';
import { trackStarts } from '../output/live/start-tracker.js';
import { counted, printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { listOffered, printOffered, promptLine, resourceLine } from '../servers/list-offered.js';
import { showLogs } from '../servers/start-servers.js';
import { openUnlisted } from '../unlisted/open-unlisted.js';
import { requireTarget, type UnlistedServer } from '../unlisted/target.js';

export type InspectOptions = Omit<CommonOptions, 'config'> & UnlistedServer;

/** Starts a server that is in no config, prints what it declares and offers, and stops it. */
export async function inspect(options: InspectOptions, io: Io): Promise<ExitCode> {
  requireTarget(options.target);
  await using opened = await openUnlisted(options, io);
  const { control, server } = opened;
  await using _logs = showLogs(control, options.verbose ? [server] : [], io);
  const declared = await start(control, server, options, io);
  const { tools, problems } = await control.discover({ server, signal: io.signal });
  const named = { server };
  const resources = await listOffered<ServerResource>(control, control.listResources, named, io);
  const templates = await listOffered<ServerResourceTemplate>(control, control.listResourceTemplates, named, io);
  const prompts = await listOffered<ServerPrompt>(control, control.listPrompts, named, io);
  if (options.json) {
    const all = {
      tools,
      resources: itemsOf(resources),
      templates: itemsOf(templates),
      prompts: itemsOf(prompts),
      problems: [...problems, ...[resources, templates, prompts].flatMap(problemsOf)],
    };
    printJson({ ...declared, ...all }, io);
    return exitCodes.ok;
  }
  printCapabilities(declared, io);
  io.stdout.write('\n');
  await printTools(control, { server, tools }, io);
  const [offered] = resources.offered;
  const both = {
    ...resources,
    offered: offered ? [{ ...offered, items: [...offered.items, ...itemsOf(templates)] }] : [],
  };
  printOffered<Partial<ServerResource & ServerResourceTemplate>>(
    both,
    { what: 'resources', line: resourceLine, isNamed: true },
    io,
  );
  printOffered(prompts, { what: 'prompts', line: promptLine, isNamed: true }, io);
  for (const problem of problems) printNote(`warning: ${printable(problem)}`, io);
  return exitCodes.ok;
}

async function start(control: Control, server: string, options: InspectOptions, io: Io): Promise<CapabilitiesReport> {
  using tracker = trackStarts(io, { ...options, servers: [server] });
  return await control.capabilities({ server, signal: io.signal, onStep: tracker.onStep });
}

interface Listed<Entry> {
  readonly offered: readonly { readonly items: readonly Entry[]; readonly problems: readonly string[] }[];
}

function itemsOf<Entry>({ offered }: Listed<Entry>): readonly Entry[] {
  return offered.flatMap(({ items }) => items);
}

function problemsOf({ offered }: Listed<unknown>): readonly string[] {
  return offered.flatMap(({ problems }) => problems);
}

/** A call of each tool with the types of its arguments, and what the server says of them. */
async function printTools(control: Control, { server, tools }: Pick<DiscoveryReport, 'server' | 'tools'>, io: Io) {
  const { bold, cyan, dim } = stylesFor(io.stdout, io);
  const room = Math.max((io.stdout.columns ?? 120) - 4, 36);
  io.stdout.write(`${bold(printableLine(server, 60))}: ${counted(tools.length, 'tool')}\n`);
  for (const { name, title, description } of tools) {
    const { signature, schema } = await signatureOf(control, server, name, io);
    io.stdout.write(fit(`  ${cyan(printableLine(signature, 1_000))}\n`, io.stdout));
    const about = printableLine(description ?? title ?? '', room);
    if (about !== '') io.stdout.write(`    ${dim(about)}\n`);
    for (const [key, value] of Object.entries(declaredIn(schema))) {
      const text = recordOf(value).description;
      if (typeof text === 'string')
        io.stdout.write(
          `      ${printableLine(key, 60)}  ${dim(printableLine(text, Math.max(room - key.length - 4, 20)))}\n`,
        );
    }
  }
}

/** `get-sum(a: number, b: number)`. The name alone of a tool that cannot be called. */
async function signatureOf(control: Control, server: string, name: string, { signal }: Io) {
  try {
    const { tool, signature } = await control.describe({ tool: `${server}.${name}`, signal });
    return { signature: `${name}${signature.slice(tool.name.length)}`, schema: tool.inputSchema };
  } catch (error) {
    if (!isControlError(error) || error.code !== 'unknown-tool') throw error;
    return { signature: name, schema: {} };
  }
}
