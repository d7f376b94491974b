import { headerFault } from '@x/internal/headers';
import { isRecord } from '@x/internal/json';
import type { Redact } from '../../redaction.js';
import type { ServerTool, ToolListing } from '../session.js';
import { type FetchPage, type ListKind, listPages } from './list-pages.js';

interface ListToolsOptions {
  readonly signal: AbortSignal;
  /** Default 10 000. */
  readonly maxTools?: number | undefined;
  /** Calls repeat arguments as HTTP headers, so tools with invalid header declarations are dropped. Default `false`. */
  readonly repeatsArguments?: boolean | undefined;
  readonly redact?: Redact | undefined;
}

/** Within the limits of `listPages`. */
export async function listTools(
  fetchPage: FetchPage,
  { signal, maxTools, repeatsArguments = false, redact }: ListToolsOptions,
): Promise<ToolListing> {
  const kind = repeatsArguments ? { ...toolKind, faultOf: toolFault } : toolKind;
  const { items: tools, ...listing } = await listPages(fetchPage, { kind, signal, maxEntries: maxTools, redact });
  return { tools, ...listing };
}

const toolKind: ListKind<ServerTool> = {
  key: 'tools',
  isEntry: isServerTool,
  nameOf: ({ name }) => name,
  invalid: 'an entry without a name or an object as input schema was left out',
};

export function isServerTool(value: unknown): value is ServerTool {
  return isRecord(value) && typeof value.name === 'string' && value.name !== '' && isRecord(value.inputSchema);
}

function toolFault({ name, inputSchema }: ServerTool): string | undefined {
  const fault = headerFault(inputSchema);
  return fault && `the tool ${JSON.stringify(name.slice(0, 80))} was left out: ${fault}`;
}
