import { isDeepStrictEqual } from 'node:util';
import { asItIs, type Redact, redactData } from '../redaction.js';
import type { ServerTool } from '../session/session.js';
import type { RememberedLists, ServerMemory } from './server-memory.js';

/** Redacts all texts of the server. Omits entries whose name or schema changes: they would be useless. */
export function redactedMemory(memory: ServerMemory, redact: Redact): ServerMemory {
  if (redact === asItIs) return memory;
  const { facts, tools, lists } = memory;
  const kept = tools.flatMap((tool) => hiddenEntry(tool, toolKeys, redact));
  return {
    ...memory,
    facts: {
      ...facts,
      serverInfo: hidden(facts.serverInfo, redact),
      instructions: hidden(facts.instructions, redact),
      capabilities: Object.fromEntries(
        Object.entries(facts.capabilities).map(([key, value]) => [key, hidden(value, redact)]),
      ),
    },
    tools: kept,
    isPartial: memory.isPartial === true || kept.length < tools.length || undefined,
    ...(lists && { lists: hiddenLists(lists, redact) }),
  };
}

const toolKeys = ['name', 'inputSchema', 'outputSchema'] as const satisfies readonly (keyof ServerTool)[];
const entryKeys = ['name', 'uri', 'uriTemplate', 'arguments'];

function hiddenLists(lists: RememberedLists, redact: Redact): RememberedLists {
  const entries = Object.entries(lists).map(([method, list]) => [
    method,
    list && { ...list, items: list.items.flatMap((item) => hiddenEntry(item, entryKeys, redact)) },
  ]);
  return Object.fromEntries(entries) as RememberedLists;
}

function hiddenEntry<Entry extends object>(entry: Entry, keys: readonly string[], redact: Redact): readonly Entry[] {
  const shown = hidden(entry, redact);
  if (shown === entry) return [entry];
  const fields = shown as Readonly<Record<string, unknown>>;
  const isSame = keys.every((key) => isDeepStrictEqual(fields[key], (entry as Readonly<Record<string, unknown>>)[key]));
  return isSame ? [shown] : [];
}

/** The same object if nothing is redacted. */
function hidden<Data>(data: Data, redact: Redact): Data {
  const json: string | undefined = JSON.stringify(data);
  return json === undefined || redact(json) === json ? data : (redactData(data, redact) as Data);
}
