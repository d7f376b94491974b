import type { ToolCallResult, ToolView } from '@x/mcp-registry';
import { looksLikeOption } from '../call-words/assignments.js';
import { readCall, type WrittenArguments } from '../call-words/read-call.js';
import { takenOptions, typedArguments } from '../call-words/typed-arguments.js';
import { type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { Control } from '../control/control.js';
import { answerQuestions } from '../elicitation/answer-questions.js';
import { openControl } from '../open-control.js';
import { canAsk } from '../output/ask.js';
import { fit, printNote } from '../output/fit.js';
import { progressBar } from '../output/live/progress-bar.js';
import { printable, printableLine, printJson } from '../output/print.js';
import { resultText, saveContent } from '../output/result-text.js';
import { findTool } from '../servers/find-tool.js';
import { requireAnyStarted, showLogs, startServers } from '../servers/start-servers.js';
import { isTarget, requireFittingOptions } from '../unlisted/target.js';

interface CallOptions extends CommonOptions {
  /** See `readCall`; or the target of a server that is in no config, with the tool as the first of `words`. */
  readonly tool: string;
  readonly words: readonly string[];
  /** Long options of the command. */
  readonly own: OwnOptions;
  readonly role?: string;
  /** Seconds. If given, also of the start of a server that is in no config. */
  readonly timeout: number;
  /** See `UnlistedServer`. */
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  /** Approves the call in advance, if the role requires an approval. */
  readonly yes?: boolean;
  /** Directory for images and other binary data. */
  readonly output?: string;
}

interface OwnOptions {
  readonly all: readonly string[];
  readonly given: readonly string[];
}

/** Starts the tool's server if necessary. */
export async function call(options: CallOptions, io: Io): Promise<ExitCode> {
  const { written, target } = await readWords(options, io); // syntax errors come before any start
  await using opened = await open(target, options, io);
  const { control, server } = opened;
  const name = server === undefined ? written.tool : `${server}.${written.tool}`;
  const { tool } = await findTool(control, { ...options, tool: name, takesNear: true }, io);
  const args = toArguments(written.arguments, tool.inputSchema, options);
  noteTakenOptions(args, tool, options, io);
  const toStart = await serverToStart(control, tool, io);
  if (toStart !== undefined) requireAnyStarted(await startServers(control, [toStart], options, io), options, io);
  await using _logs = showLogs(control, options.verbose && tool.server !== undefined ? [tool.server] : [], io);
  using bar = progressBar(io);
  const questions = answerQuestions(io, { hide: () => bar.hide() });
  const result = await control
    .call({
      tool: tool.name,
      args,
      role: options.role,
      onServerRequest: questions.onServerRequest,
      ...(options.yes ? { approval: 'yes' } : canAsk(io) && { approval: 'ask' }),
      signal: io.signal,
      timeoutMs: options.timeout * 1_000,
      onProgress: (progress) => bar.show(progress),
    })
    .finally(() => questions.settled());
  bar[Symbol.dispose]();
  await print(result, { ...options, tool: tool.name }, io);
  return result.isError ? exitCodes.failed : exitCodes.ok;
}

async function readWords({ tool, words, ...options }: CallOptions, io: Io) {
  const isUnlisted = isTarget(tool);
  requireFittingOptions(isUnlisted, { ...options });
  if (!isUnlisted) return { written: await readCall(tool, words, io), target: undefined };
  const [own, ...others] = words;
  if (own === undefined || looksLikeOption(own)) {
    throw new UsageError('The name of the tool must follow the server.', {
      hint: `List its tools with: mcpx inspect '${printableLine(tool, 200)}'`,
    });
  }
  return { written: await readCall(own, others, io), target: tool };
}

/** `server`: its name, if it is in no config. */
async function open(
  target: string | undefined,
  options: CallOptions,
  io: Io,
): Promise<{ readonly control: Control; readonly server?: string } & AsyncDisposable> {
  if (target !== undefined) {
    const timeout = options.own.given.includes('--timeout') ? options.timeout : undefined;
    return (await import('../unlisted/open-unlisted.js')).openUnlisted({ ...options, target, timeout }, io);
  }
  const control = await openControl(options, io);
  return { control, [Symbol.asyncDispose]: () => control[Symbol.asyncDispose]() };
}

/** A stopped server of another node is started there, by the call. */
async function serverToStart(
  control: Control,
  { server, state }: ToolView,
  { signal }: Io,
): Promise<string | undefined> {
  if (state === 'running' || state === 'degraded') return undefined;
  const { servers } = await control.status({ signal });
  return servers.find(({ name, runsElsewhere = false }) => name === server && !runsElsewhere)?.name;
}

function toArguments(written: WrittenArguments, schema: ToolView['inputSchema'], { own }: CallOptions) {
  return written.kind === 'object' ? written.value : typedArguments(written.words, schema, { ownOptions: own.all });
}

/** An option of the command is never an argument, and says so if it could be one. */
function noteTakenOptions(
  args: Readonly<Record<string, unknown>>,
  { name, inputSchema }: ToolView,
  { own }: CallOptions,
  io: Io,
): void {
  for (const option of takenOptions(own.given, args, inputSchema)) {
    const key = option.replace(/^--/, '');
    printNote(
      `${option} is an option of mcpx here. For the argument "${key}" of ${printableLine(name, 200)} write ${key}=...`,
      io,
    );
  }
}

async function print(result: ToolCallResult, { json, tool, output }: CallOptions, io: Io): Promise<void> {
  // With `--json` the data is in the document, so files are written only with `--output`.
  const saved =
    json && output === undefined ? undefined : await saveContent(result.content, { name: tool, directory: output }, io);
  if (json) {
    printJson(result, io);
    for (const file of saved?.values() ?? []) printNote(`saved as ${printableLine(file, 4_096)}`, io);
  } else if (result.isError) {
    io.stderr.write(`The tool ${tool} returned an error:\n${resultText(result, saved)}\n`);
  } else {
    io.stdout.write(`${resultText(result, saved)}\n`);
  }
}

/** Starts the tool's server only if the tool is unknown. */
export async function describe(
  options: CommonOptions & { readonly tool: string; readonly role?: string },
  io: Io,
): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const description = await findTool(control, options, io);
  if (options.json) printJson(description, io);
  else io.stdout.write(fit(`${printable(description.text)}\n`, io.stdout));
  return exitCodes.ok;
}
