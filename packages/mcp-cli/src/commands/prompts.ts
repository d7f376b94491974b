import type { GetPromptResult, ServerPrompt } from '@x/mcp-client-manager';
import type { ContentBlock } from '@x/mcp-registry';
import { readPairs } from '../call-arguments/read-words.js';
import type { CommonOptions } from '../command-options.js';
import { CommandError, type ExitCode, exitCodes, UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { type ListOfferedOptions, listOffered } from '../list-offered.js';
import { openControl } from '../open-control.js';
import { didYouMean } from '../output/did-you-mean.js';
import { printOffered } from '../output/offered-lines.js';
import { printJson } from '../output/print-json.js';
import { printable, printableLine } from '../output/printable.js';
import { contentText } from '../output/result-text.js';
import { stylesFor } from '../output/styles.js';
import { requireOne, startServers } from '../start-needed.js';

export async function prompts(options: ListOfferedOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await listOffered<ServerPrompt>(control, control.listPrompts, options, io);
  if (options.json) {
    const servers = report.offered.map(({ items, ...listing }) => ({ ...listing, prompts: items }));
    printJson({ servers, notAsked: report.notAsked }, io);
    return exitCodes.ok;
  }
  const line = (prompt: ServerPrompt) => ({
    name: signatureOf(prompt),
    facts: prompt.description ?? prompt.title ?? '',
  });
  printOffered(report, { what: 'prompts', line, isNamed: options.server !== undefined }, io);
  return exitCodes.ok;
}

/** The prompt as typed on the command line: `greet who= [tone=]`. */
function signatureOf({ name, arguments: args = [] }: ServerPrompt): string {
  return [name, ...args.map((each) => (each.required === true ? `${each.name}=` : `[${each.name}=]`))].join(' ');
}

export interface GetPromptOptions extends CommonOptions {
  readonly server: string;
  readonly prompt: string;
  /** `key=value`. */
  readonly words: readonly string[];
}

/** Prints the messages of one prompt. Starts its server if necessary. */
export async function getPrompt(options: GetPromptOptions, io: Io): Promise<ExitCode> {
  const { server, prompt, words, json } = options;
  const args = Object.fromEntries(readPairs(words).map(({ key, text }) => [key, text]));
  await using control = await openControl(options, io);
  const { signal } = io;
  const { servers } = await control.status({ signal });
  const row = servers.find(({ name }) => name === server);
  if (row?.state !== 'running') requireOne(await startServers(control, [server], options, io), options, io);
  const { items, completeness } = await control.listPrompts({ server, signal });
  if (completeness === 'complete') requirePrompt(items, { server, prompt, args });
  const result = await control.getPrompt({ server, prompt, args, signal });
  if (json) printJson(result, io);
  else printMessages(result, io);
  return exitCodes.ok;
}

/**
 * Checks the arguments here, because servers report such mistakes in different ways or not at all.
 *
 * @throws {CommandError} The server lists no such prompt, or the prompt takes other arguments.
 */
function requirePrompt(
  prompts: readonly ServerPrompt[],
  {
    server,
    prompt,
    args,
  }: { readonly server: string; readonly prompt: string; readonly args: Readonly<Record<string, string>> },
): void {
  const names = prompts.map(({ name }) => name);
  const found = prompts.find(({ name }) => name === prompt);
  if (!found) {
    throw new CommandError(exitCodes.notFound, `Server "${server}" has no prompt named "${prompt}".`, {
      hint: `${didYouMean(prompt, names)}Its prompts: ${names.join(', ') || 'none'}.`,
    });
  }
  const wanted = (found.arguments ?? []).map(({ name, required }) => ({ name: String(name), required }));
  const known = wanted.map(({ name }) => name);
  const missing = wanted.find(({ name, required }) => required === true && !Object.hasOwn(args, name));
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (missing === undefined && unknown === undefined) return;
  const fault = missing ? `needs the argument "${missing.name}"` : `has no argument "${unknown}"`;
  throw new UsageError(`The prompt "${prompt}" ${fault}.`, {
    hint: `${unknown === undefined ? '' : didYouMean(unknown, known)}Usage: ${signatureOf(found)}`,
  });
}

function printMessages({ description, messages }: GetPromptResult, io: Io): void {
  const { bold, dim } = stylesFor(io.stdout, io);
  if (description) io.stdout.write(`${dim(printable(description))}\n`);
  for (const { role, content } of messages) {
    const blocks = (Array.isArray(content) ? content : [content]).filter(isBlock);
    io.stdout.write(`${bold(`${printableLine(String(role), 40)}:`)}\n${contentText(blocks)}\n`);
  }
}

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && 'type' in value;
}
