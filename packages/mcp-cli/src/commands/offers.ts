import type { GetPromptResult, ServerPrompt, ServerResource, ServerResourceTemplate } from '@x/mcp-client-manager';
import type { ContentBlock } from '@x/mcp-registry';
import { textsByKey } from '../call-words/assignments.js';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';
import type { Control } from '../control/control.js';
import { answerQuestions } from '../elicitation/answer-questions.js';
import { openControl } from '../open-control.js';
import { didYouMean, printable, printableLine, printJson, stylesFor } from '../output/print.js';
import { contentText, saveContent } from '../output/result-text.js';
import {
  type ListOfferedOptions,
  listOffered,
  printOffered,
  promptLine,
  resourceLine,
  signatureOf,
} from '../servers/list-offered.js';
import { requireAnyStarted, startServers } from '../servers/start-servers.js';

export async function resources(options: ListOfferedOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await listOffered<ServerResource>(control, control.listResources, options, io);
  const templates = await listOffered<ServerResourceTemplate>(
    control,
    control.listResourceTemplates,
    { ...options, refresh: false }, // the servers were refreshed just now
    io,
  );
  const templatesOf = (server: string) => templates.offered.find((each) => each.server === server)?.items ?? [];
  if (options.json) {
    const servers = report.offered.map(({ items, ...listing }) => ({
      ...listing,
      resources: items,
      templates: templatesOf(listing.server),
    }));
    printJson({ servers, notAsked: report.notAsked }, io);
    return exitCodes.ok;
  }
  const offered = report.offered.map((listing) => ({
    ...listing,
    items: [...listing.items, ...templatesOf(listing.server)],
  }));
  printOffered(
    { ...report, offered },
    { what: 'resources', line: resourceLine, isNamed: options.server !== undefined },
    io,
  );
  return exitCodes.ok;
}

interface ReadResourceOptions extends CommonOptions {
  readonly uri: string;
  /** Default: the only server that lists the URI, or the only server of the config. */
  readonly server?: string;
  /** Directory for binary data. */
  readonly output?: string;
}

/** Starts its server if necessary. */
export async function readResource(options: ReadResourceOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const server = options.server ?? (await serverOf(control, options, io));
  const { servers } = await control.status({ signal });
  const row = servers.find(({ name }) => name === server);
  if (row?.state !== 'running') requireAnyStarted(await startServers(control, [server], options, io), options, io);
  const { onServerRequest, settled } = answerQuestions(io);
  const result = await control.readResource({ server, uri: options.uri, signal, onServerRequest }).finally(settled);
  const { json, output } = options;
  const blocks: readonly ContentBlock[] = result.contents.map((resource) => ({ type: 'resource', resource }));
  const saved =
    json && output === undefined ? undefined : await saveContent(blocks, { name: server, directory: output }, io);
  if (json) printJson(result, io);
  else io.stdout.write(`${contentText(blocks, saved)}\n`);
  return exitCodes.ok;
}

/** @throws {CommandError} No server lists the URI, or several do. */
async function serverOf(control: Control, { uri }: ReadResourceOptions, io: Io): Promise<string> {
  const { servers } = await control.status({ signal: io.signal });
  const [only] = servers;
  if (only && servers.length === 1) return only.name;
  const { offered } = await listOffered<ServerResource>(control, control.listResources, {}, io);
  const owners = offered.flatMap(({ server, items }) => (items.some((item) => item.uri === uri) ? [server] : []));
  const [owner] = owners;
  if (owner !== undefined && owners.length === 1) return owner;
  const why = owners.length > 1 ? `Several servers list it: ${owners.join(', ')}.` : 'No known list contains it.';
  throw new CommandError(exitCodes.notFound, `The server of the resource "${uri}" is not known. ${why}`, {
    hint: 'Name the server with --server.',
  });
}

export async function prompts(options: ListOfferedOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const report = await listOffered<ServerPrompt>(control, control.listPrompts, options, io);
  if (options.json) {
    const servers = report.offered.map(({ items, ...listing }) => ({ ...listing, prompts: items }));
    printJson({ servers, notAsked: report.notAsked }, io);
    return exitCodes.ok;
  }
  printOffered(report, { what: 'prompts', line: promptLine, isNamed: options.server !== undefined }, io);
  return exitCodes.ok;
}

interface GetPromptOptions extends CommonOptions {
  readonly server: string;
  readonly prompt: string;
  /** `key=value`. */
  readonly words: readonly string[];
}

/** Starts its server if necessary. */
export async function getPrompt(options: GetPromptOptions, io: Io): Promise<ExitCode> {
  const { server, prompt, words, json } = options;
  const args = textsByKey(words);
  await using control = await openControl(options, io);
  const { signal } = io;
  const { servers } = await control.status({ signal });
  const row = servers.find(({ name }) => name === server);
  if (row?.state !== 'running') requireAnyStarted(await startServers(control, [server], options, io), options, io);
  const { items, completeness } = await control.listPrompts({ server, signal });
  if (completeness === 'complete') requirePrompt(items, { server, prompt, args });
  const { onServerRequest, settled } = answerQuestions(io);
  const result = await control.getPrompt({ server, prompt, args, signal, onServerRequest }).finally(settled);
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
