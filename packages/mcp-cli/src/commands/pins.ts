import type { OfferedTool } from '@x/mcp-registry/trust';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { Control } from '../control/control.js';
import type { PinReport } from '../control/reports.js';
import { openControl } from '../open-control.js';
import { printNote } from '../output/fit.js';
import { counted, didYouMean, printable, printableLine, printJson, type Styles, stylesFor } from '../output/print.js';
import { table } from '../output/table.js';

/** Hex digits of a digest that are shown, and that a command needs at least. */
const shortDigest = 12;

export async function pins(options: CommonOptions & { readonly server?: string }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await control.pins({ server: options.server, signal: io.signal });
  if (options.json) printJson(report, io);
  else printPins(report, io);
  return exitCodes.ok;
}

function printPins({ trust, tools }: PinReport, io: Io): void {
  const styles = stylesFor(io.stdout, io);
  const own = Object.entries(trust.servers).map(([server, mode]) => `${server}: ${mode}`);
  io.stdout.write(`${printableLine(`Mode: ${[trust.default, ...own].join(', ')}`, 1_000)}\n`);
  if (tools.length > 0) {
    const rows = tools.map((tool) => [
      trustText(tool, styles),
      printableLine(wordOf(tool), 100),
      digestText(tool),
      noteOf(tool),
    ]);
    io.stdout.write(table(['Trust', 'Tool', 'Digest', 'Note'], rows, io.stdout));
  }
  for (const tool of tools) {
    for (const { severity, message } of tool.findings) {
      if (severity !== 'low') io.stdout.write(`${printableLine(`${severity}: ${wordOf(tool)}: ${message}`, 1_000)}\n`);
    }
  }
  const waiting = tools.filter(({ trust: each, unapprovable }) => each !== 'trusted' && unapprovable === undefined);
  const [first] = waiting;
  if (!first) return;
  const name = printableLine(wordOf(first), 100);
  const [wait, which] = waiting.length === 1 ? ['tool waits', 'it'] : ['tools wait', 'each'];
  printNote(
    `${waiting.length} ${wait} for approval. Read ${which} with "mcpx pins diff ${name}", then run "mcpx pins approve ${name}".`,
    io,
  );
}

/** The name of a tool on the command line, or `server:instructions`. Tool names contain no colon there. */
function wordOf({ server, tool, name }: OfferedTool): string {
  return tool === '' ? `${server}:instructions` : name;
}

function trustText({ trust }: OfferedTool, { green, yellow, red }: Styles): string {
  if (trust === 'trusted') return green('✓ trusted');
  return trust === 'changed' ? red('✗ changed') : yellow('? pending');
}

function noteOf({ approved, similarTo, findings, unapprovable }: OfferedTool): string {
  const notes = [
    ...(unapprovable === undefined ? [] : [`cannot be approved: ${unapprovable}`]),
    ...(approved ? [`approved ${approved.at.slice(0, 10)}${approved.by === 'first-use' ? ' on first use' : ''}`] : []),
    ...(similarTo ? [`resembles ${similarTo.tool}${similarTo.isOffered ? '' : ', which no longer exists'}`] : []),
    ...(findings.length > 0 ? [counted(findings.length, 'finding')] : []),
  ];
  return printableLine(notes.join('; '), 100);
}

function digestText({ digest }: OfferedTool): string {
  return digest.replace(/^sha256:/, '').slice(0, shortDigest);
}

/** Two texts can be equal after redaction and differ before it. */
function sameText({ trust }: OfferedTool): string {
  return trust === 'changed'
    ? 'It differs from the approved definition only in hidden text.'
    : 'It equals the approved definition.';
}

export async function pinDiff(options: CommonOptions & { readonly tool: string }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const [tool] = await offeredTools(control, [options.tool], io);
  if (!tool) return exitCodes.notFound; // offeredTools() returns one tool per name or throws
  const diff = await control.pinDiff({ server: tool.server, tool: tool.tool, signal: io.signal });
  if (options.json) {
    printJson({ ...tool, diff }, io);
    return exitCodes.ok;
  }
  io.stdout.write(diff === '' ? `${sameText(tool)}\n` : `${printable(diff).replace(/\n$/, '')}\n`);
  for (const { severity, message } of tool.findings)
    io.stdout.write(`${printableLine(`${severity}: ${message}`, 1_000)}\n`);
  if (tool.unapprovable !== undefined) {
    printNote(`It cannot be approved: ${printableLine(tool.unapprovable, 1_000)}`, io);
  } else if (tool.trust !== 'trusted') {
    printNote(`"mcpx pins approve ${printableLine(wordOf(tool), 100)}@${digestText(tool)}" approves this text.`, io);
  }
  return exitCodes.ok;
}

interface ApproveOptions extends CommonOptions {
  /**
   * Public names, `server.tool` or `server:instructions`. With `@` and the beginning of a digest, approves only that
   * definition.
   */
  readonly tools: readonly string[];
  readonly server?: string;
}

/** Offers these tools for as long as their definitions stay the same. */
export async function approvePins(options: ApproveOptions, io: Io): Promise<ExitCode> {
  const { tools: names, server, json } = options;
  if ((names.length === 0) === (server === undefined)) {
    throw new UsageError('Name tools to approve, or a server with --server.', {
      hint: '"mcpx pins" shows what waits for an approval.',
    });
  }
  await using control = await openControl(options, io);
  const { signal } = io;
  const offered =
    server === undefined ? await offeredTools(control, names, io) : (await control.pins({ server, signal })).tools;
  // For a tool that the user names, the registry throws with the reason.
  const tools = server === undefined ? offered : offered.filter(({ unapprovable }) => unapprovable === undefined);
  const read = tools.map(({ server: of, tool, digest }) => ({ server: of, tool, digest }));
  await control.approvePins({ tools: read, signal });
  for (const { unapprovable, ...tool } of offered) {
    if (unapprovable === undefined) continue;
    printNote(`Not approved: ${printableLine(`${wordOf(tool)}: ${unapprovable}`, 1_000)}`, io);
  }
  if (json) printJson({ approved: read }, io);
  else {
    const { green } = stylesFor(io.stdout, io);
    for (const tool of tools)
      io.stdout.write(`${green('✓')} ${printableLine(wordOf(tool), 100)} ${digestText(tool)}\n`);
    if (offered.length === 0)
      io.stdout.write(
        `The server has no known tools. Run "mcpx discover ${printableLine(server ?? '', 60)}" to list them.\n`,
      );
  }
  return exitCodes.ok;
}

interface RevokeOptions extends CommonOptions {
  readonly tools: readonly string[];
  readonly server?: string;
}

export async function revokePins(options: RevokeOptions, io: Io): Promise<ExitCode> {
  const { tools: names, server, json } = options;
  if ((names.length === 0) === (server === undefined)) {
    throw new UsageError('Name tools to revoke, or a server with --server.');
  }
  await using control = await openControl(options, io);
  const revoked =
    server === undefined
      ? (await offeredTools(control, names, io)).map(({ server: of, tool }) => ({ server: of, tool }))
      : [{ server }];
  for (const each of revoked) await control.revokePins({ ...each, signal: io.signal });
  if (json) printJson({ revoked }, io);
  else io.stdout.write(`Revoked: ${printableLine(server ?? names.join(', '), 1_000)}\n`);
  return exitCodes.ok;
}

interface TrustModeOptions extends CommonOptions {
  readonly mode: string;
  readonly servers: readonly string[];
}

/** Sets when tools are offered: at once, from their first listing, or after approval. */
export async function setTrustMode(options: TrustModeOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { mode, servers, json } = options;
  const { signal } = io;
  await control.setTrust({ mode, servers: servers.length > 0 ? servers : undefined, signal });
  const report = await control.pins({ signal });
  if (json) printJson(report, io);
  else printPins(report, io);
  return exitCodes.ok;
}

/** @throws {CommandError} No server offers a tool of a name, or its digest differs from the one given. */
async function offeredTools(
  control: Control,
  names: readonly string[],
  { signal }: Io,
): Promise<readonly OfferedTool[]> {
  const { tools } = await control.pins({ signal });
  return Promise.all(
    names.map(async (word) => {
      const [, name = '', digest] = /^(.*?)(?:@(?:sha256:)?([0-9a-f]+))?$/s.exec(word) ?? [];
      const tool = await offeredTool(control, name, tools, signal);
      if (!tool) {
        const known = tools.map(wordOf);
        throw new CommandError(exitCodes.notFound, `No known server offers a tool named "${name}".`, {
          hint: `${didYouMean(name, known)}Run "mcpx pins" to list all tools.`,
        });
      }
      if (digest !== undefined) requireDigest(tool, digest);
      return tool;
    }),
  );
}

async function offeredTool(
  control: Control,
  word: string,
  tools: readonly OfferedTool[],
  signal: AbortSignal,
): Promise<OfferedTool | undefined> {
  const named = tools.find((each) => each.name === word || wordOf(each) === word);
  if (named !== undefined) return named;
  const owners = await control.toolOwners({ tool: word, signal });
  return tools.find(({ server, tool }) => owners.some((owner) => owner.server === server && owner.tool === tool));
}

function requireDigest(tool: OfferedTool, digest: string): void {
  if (digest.length < shortDigest) {
    throw new UsageError(`A digest must have at least ${shortDigest} digits, as in the output of "mcpx pins".`);
  }
  if (tool.digest.startsWith(`sha256:${digest}`)) return;
  throw new CommandError(exitCodes.failed, `The tool "${wordOf(tool)}" has changed since you read it.`, {
    hint: `Read it again with "mcpx pins diff ${wordOf(tool)}".`,
  });
}
