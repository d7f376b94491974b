import { createRegistry } from '@x/mcp-registry';
import { anthropic } from '@x/mcp-registry/formats';
import { type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import { type ContextReport, contextReport, requestsPerSearch } from '../context/context-report.js';
import type { Control } from '../control/control.js';
import { openControl } from '../open-control.js';
import { columnsOf, printNote } from '../output/fit.js';
import { printableLine, printJson, stylesFor } from '../output/print.js';
import { table } from '../output/table.js';
import { readKnownTools } from '../servers/known-tools.js';
import { serversWithoutTools } from '../servers/server-rows.js';

interface ContextOptions extends CommonOptions {
  readonly role?: string;
  readonly turns: number;
}

const searchTool = 'search_mcp_tools';
const pageSize = 100;
const shownTools = 5;
const maxServerLength = 22;

/** Starts no server: counts the tools that are known. */
export async function context(options: ContextOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { role, turns, json } = options;
  const { tools, unusable } = await readKnownTools(control, role, io);
  const hasSearch = tools.some(({ name, server }) => name === searchTool && server === undefined);
  const report = contextReport({
    tools,
    answer: hasSearch ? await searchAnswer(control, role, io) : undefined,
    deferredSearch: await deferredSearch(),
    turns,
  });
  const { servers } = await control.status({ signal: io.signal });
  const notCounted = serversWithoutTools(servers).filter((name) => !unusable.includes(name));
  if (json) printJson({ ...report, notCounted }, io);
  else printReport(report, notCounted, io);
  return exitCodes.ok;
}

/** A line for each tool, so that the size of an answer is that of these tools. */
async function searchAnswer(control: Control, role: string | undefined, { signal }: Io) {
  const args = { query: '*', limit: pageSize, include: 'known' };
  const { content, structuredContent } = await control.call({ tool: searchTool, args, role, signal });
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const { returned } = structuredContent as { readonly returned: number };
  return { text, tools: returned };
}

async function deferredSearch(): Promise<unknown> {
  await using registry = createRegistry();
  return anthropic(registry, { defer: true }).tools[0];
}

function printReport(report: ContextReport, notCounted: readonly string[], io: Io): void {
  const { dim } = stylesFor(io.stdout, io);
  const { turns, searches, servers, tools, surfaces } = report;
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows = servers.map((row) => [
    printableLine(row.server ?? 'mcpx itself', maxServerLength),
    String(row.tools),
    shown(row.tokens),
  ]);
  io.stdout.write(
    numberTable(['Server', 'Tools', 'Tokens'], [...rows, ['all', String(tools.length), shown(total)]], io),
  );

  const room = (columnsOf(io.stdout) ?? 1_000) - 9;
  io.stdout.write(`\n${dim('Largest definitions')}\n`);
  for (const { name, tokens } of tools.slice(0, shownTools)) {
    io.stdout.write(`${shown(tokens).padStart(7)}  ${printableLine(name, room)}\n`);
  }

  const costs = surfaces.map((cost) => [
    cost.surface,
    shown(cost.perRequest),
    shown(cost.perSearch),
    shown(cost.session),
  ]);
  io.stdout.write(`\n${numberTable(['Surface', 'Request', 'Search', `${turns} requests`], costs, io)}`);
  const words = searches === 1 ? 'One search' : `${searches} searches, one in ${requestsPerSearch} requests`;
  io.stdout.write(`${dim(`${words}.\nEstimates, ± 5 %.`)}\n`);
  if (notCounted.length === 0) return;
  const names = printableLine(notCounted.join(', '), 300);
  printNote(
    `Not counted, because their tools are unknown: ${names}. Run "mcpx discover ${printableLine(notCounted[0] ?? '', 60)}" to list those of one.`,
    io,
  );
}

/** The first column is text, the others are numbers. */
function numberTable(head: readonly string[], rows: readonly (readonly string[])[], { stdout }: Io): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const aligned = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0)));
  return table(aligned(head), rows.map(aligned), stdout);
}

function shown(tokens: number): string {
  return tokens.toLocaleString('en');
}
