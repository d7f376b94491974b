import type { ServerResource, ServerResourceTemplate } from '@x/mcp-client-manager';
import type { ContentBlock } from '@x/mcp-registry';
import type { CommonOptions } from '../command-options.js';
import type { Control } from '../control/control.js';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { type ListOfferedOptions, listOffered } from '../list-offered.js';
import { openControl } from '../open-control.js';
import { printOffered } from '../output/offered-lines.js';
import { printJson } from '../output/print-json.js';
import { contentText } from '../output/result-text.js';
import { saveContent } from '../output/saved-content.js';
import { requireOne, startServers } from '../start-needed.js';

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
  const line = ({
    uri,
    uriTemplate,
    name,
    title,
    mimeType,
    description,
  }: Partial<ServerResource & ServerResourceTemplate>) => ({
    name: uri ?? uriTemplate ?? '',
    facts: [title ?? name, mimeType, description].filter((fact) => fact !== undefined).join(', '),
  });
  printOffered({ ...report, offered }, { what: 'resources', line, isNamed: options.server !== undefined }, io);
  return exitCodes.ok;
}

export interface ReadResourceOptions extends CommonOptions {
  readonly uri: string;
  /** Default: the only server that lists the URI, or the only server of the config. */
  readonly server?: string;
  /** Directory for binary data. */
  readonly output?: string;
}

/** Prints the contents of one resource. Starts its server if necessary. */
export async function readResource(options: ReadResourceOptions, io: Io): Promise<ExitCode> {
  await using control = await openControl(options, io);
  const { signal } = io;
  const server = options.server ?? (await serverOf(control, options, io));
  const { servers } = await control.status({ signal });
  const row = servers.find(({ name }) => name === server);
  if (row?.state !== 'running') requireOne(await startServers(control, [server], options, io), options, io);
  const result = await control.readResource({ server, uri: options.uri, signal });
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
