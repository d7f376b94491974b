import type { OfferedTool } from '@x/mcp-registry';
import type { CommonOptions } from '../command-options.js';
import type { Control } from '../control/control.js';
import type { PinReport } from '../control/reports.js';
import { CommandError, type ExitCode, exitCodes, UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { openControl } from '../open-control.js';
import { didYouMean } from '../output/did-you-mean.js';
import { printJson } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { type Styles, stylesFor } from '../output/styles.js';
import { table } from '../output/table.js';

/** Of a digest, so much is shown and has to be given. */
const shortDigest = 12;

/** `mcpx pins [server]`: which tools are there, and which wait for an approval. */
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
    io.stdout.write(table(['Trust', 'Tool', 'Digest', 'Note'], rows));
  }
  for (const tool of tools) {
    for (const { severity, message } of tool.findings) {
      if (severity !== 'low') io.stdout.write(`${printableLine(`${severity}: ${wordOf(tool)}: ${message}`, 1_000)}\n`);
    }
  }
  const waiting = tools.filter(
    ({ trust: each, unapprovable }) => each !== 'trusted' && unapprovable === undefined,
  ).length;
  if (waiting > 0) {
    io.stderr.write(
      `${waiting} ${waiting === 1 ? 'waits' : 'wait'}. Read with "mcpx pins diff <tool>", then "mcpx pins approve <tool>".\n`,
    );
  }
}

/** What a tool, or the instructions of a server, are called on the command line. No tool has a colon in its name there. */
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
    ...(similarTo ? [`resembles ${similarTo.tool}${similarTo.isOffered ? '' : ', which is gone'}`] : []),
    ...(findings.length > 0 ? [`${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`] : []),
  ];
  return printableLine(notes.join('; '), 100);
}

function digestText({ digest }: OfferedTool): string {
  return digest.replace(/^sha256:/, '').slice(0, shortDigest);
}

/** The redaction of a text can be what was approved, and the text another one. */
function sameText({ trust }: OfferedTool): string {
  return trust === 'changed' ? 'It differs from what was approved in hidden text alone.' : 'It is what was approved.';
}

/** `mcpx pins diff <tool>`: what a tool says now against what was approved. */
export async function pinDiff(options: CommonOptions & { readonly tool: string }, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const [tool] = await offeredTools(control, [options.tool], io);
  if (!tool) return exitCodes.notFound; // there is one for each name, or an error
  const diff = await control.pinDiff({ server: tool.server, tool: tool.tool, signal: io.signal });
  if (options.json) {
    printJson({ ...tool, diff }, io);
    return exitCodes.ok;
  }
  io.stdout.write(diff === '' ? `${sameText(tool)}\n` : `${printable(diff).replace(/\n$/, '')}\n`);
  for (const { severity, message } of tool.findings)
    io.stdout.write(`${printableLine(`${severity}: ${message}`, 1_000)}\n`);
  if (tool.unapprovable !== undefined) {
    io.stderr.write(`It cannot be approved: ${printableLine(tool.unapprovable, 1_000)}\n`);
  } else if (tool.trust !== 'trusted') {
    io.stderr.write(
      `"mcpx pins approve ${printableLine(wordOf(tool), 100)}@${digestText(tool)}" approves this text.\n`,
    );
  }
  return exitCodes.ok;
}

export interface ApproveOptions extends CommonOptions {
  /** Public names, `server.tool` or `server:instructions`, each with `@` and the beginning of the digest that was read, if it is to be that. */
  readonly tools: readonly string[];
  /** Approves everything that this server offers. */
  readonly server?: string;
}

/** `mcpx pins approve <tool…>`: from now on these tools are there, as long as they say what they say now. */
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
  // A tool that is named itself is refused by the registry, which says why.
  const tools = server === undefined ? offered : offered.filter(({ unapprovable }) => unapprovable === undefined);
  const read = tools.map(({ server: of, tool, digest }) => ({ server: of, tool, digest }));
  await control.approvePins({ tools: read, signal });
  for (const { unapprovable, ...tool } of offered) {
    if (unapprovable === undefined) continue;
    io.stderr.write(`Not approved: ${printableLine(`${wordOf(tool)}: ${unapprovable}`, 1_000)}\n`);
  }
  if (json) printJson({ approved: read }, io);
  else {
    const { green } = stylesFor(io.stdout, io);
    for (const tool of tools)
      io.stdout.write(`${green('✓')} ${printableLine(wordOf(tool), 100)} ${digestText(tool)}\n`);
    if (offered.length === 0)
      io.stdout.write('The server offers nothing that is known. "mcpx discover <server>" asks it.\n');
  }
  return exitCodes.ok;
}

export interface RevokeOptions extends CommonOptions {
  readonly tools: readonly string[];
  readonly server?: string;
}

/** `mcpx pins revoke <tool…>`: takes approvals back. */
export async function revokePins(options: RevokeOptions, io: Io): Promise<ExitCode> {
  const { tools: names, server, json } = options;
  if ((names.length === 0) === (server === undefined)) {
    throw new UsageError('Name tools whose approval is to be taken back, or a server with --server.');
  }
  await using control = await openControl(options, io);
  const revoked =
    server === undefined
      ? (await offeredTools(control, names, io)).map(({ server: of, tool }) => ({ server: of, tool }))
      : [{ server }];
  for (const each of revoked) await control.revokePins({ ...each, signal: io.signal });
  if (json) printJson({ revoked }, io);
  else io.stdout.write(`Taken back: ${printableLine(server ?? names.join(', '), 1_000)}\n`);
  return exitCodes.ok;
}

export interface TrustModeOptions extends CommonOptions {
  readonly mode: string;
  readonly servers: readonly string[];
}

/** `mcpx pins mode <mode> [server…]`: when tools are there: at once, after a first meeting, or after an approval. */
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

/**
 * The offered tool for each name.
 *
 * @throws {CommandError} No tool is offered under it, or it says something else than what was read.
 */
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
        throw new CommandError(exitCodes.notFound, `No server is known to offer a tool named "${name}".`, {
          hint: `${didYouMean(name, known)}"mcpx pins" shows those that are offered.`,
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
    throw new UsageError(`A digest takes at least ${shortDigest} digits, as "mcpx pins" shows them.`);
  }
  if (tool.digest.startsWith(`sha256:${digest}`)) return;
  throw new CommandError(exitCodes.failed, `The tool "${wordOf(tool)}" is not any more what was read.`, {
    hint: `Read it again with "mcpx pins diff ${wordOf(tool)}".`,
  });
}
