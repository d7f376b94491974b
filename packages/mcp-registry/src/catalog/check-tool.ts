import type { SourceTool } from '@x/internal/contracts';
import { HEADER_KEYWORD, headerFault } from '@x/internal/headers';
import { isRecord, JsonCopyError, type JsonLimits, measureCopy } from '@x/internal/json';

/** In characters. The name identifies the tool, so it is never cut. */
const MAX_NAME_LENGTH = 1_024;
const SCHEMA_LIMITS: JsonLimits = { maxCharacters: 512 * 1_024 };
const EXTRA_LIMITS: JsonLimits = { maxCharacters: 512 * 1_024, maxValues: 20_000 };
const MAX_FIELDS = 64;
/** Limits in characters of texts that may be cut. */
const TEXT_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['title', 1_000],
  ['description', 32_768],
]);
const OBJECT_FIELDS: ReadonlySet<string> = new Set(['outputSchema', 'annotations', '_meta']);

export type CheckedTool = AcceptedTool | { readonly fault: string; readonly name: string | undefined };

export interface AcceptedTool {
  readonly tool: SourceTool;
  readonly characters: number;
  readonly reductions: readonly { readonly field: string; readonly what: string }[];
}

/**
 * Checks a foreign value and returns a frozen copy. Long texts are cut, and other large fields are left out, but never
 * the name or the input schema.
 */
export function checkTool(entry: unknown): CheckedTool {
  const fields = readFields(entry);
  if (typeof fields === 'string') return { fault: fields, name: undefined };
  const name = fields.get('name');
  if (typeof name !== 'string' || name === '') return { fault: 'it has no name', name: undefined };
  if (name.length > MAX_NAME_LENGTH) {
    return { fault: `its name has ${name.length} characters, of which ${MAX_NAME_LENGTH} are allowed`, name };
  }

  const reductions: { field: string; what: string }[] = [];
  const kept: [string, unknown][] = [];
  let characters = name.length;
  let mayHaveHeaders = false;
  for (const [field, value] of fields) {
    try {
      const limits = field === 'inputSchema' ? SCHEMA_LIMITS : EXTRA_LIMITS;
      const text = typeof value === 'string' ? shorten(field, value) : value;
      if (text !== value)
        reductions.push({ field, what: `was cut to its first ${TEXT_LENGTHS.get(field)} characters` });
      const { copy, size, hasWatched } = measureCopy(text, limits, HEADER_KEYWORD);
      const fault = shapeFault(field, copy);
      if (fault !== undefined) return { fault, name };
      characters += size;
      mayHaveHeaders ||= hasWatched && field === 'inputSchema';
      kept.push([field, copy]);
    } catch (error) {
      if (!(error instanceof JsonCopyError)) throw error;
      if (!error.isTooLarge || field === 'inputSchema')
        return { fault: `its ${field.slice(0, 80)} ${error.message}`, name };
      reductions.push({ field, what: `is left out: it ${error.message}` });
    }
  }
  const inputSchema = kept.find(([field]) => field === 'inputSchema')?.[1];
  if (!isRecord(inputSchema)) return { fault: 'its inputSchema is not an object', name };
  const fault = mayHaveHeaders ? headerFault(inputSchema) : undefined;
  if (fault !== undefined) return { fault, name };
  return { tool: Object.freeze(Object.fromEntries(kept)) as unknown as SourceTool, characters, reductions };
}

/** Reads each field once. Some servers send null for absent fields. */
function readFields(entry: unknown): ReadonlyMap<string, unknown> | string {
  try {
    if (!isRecord(entry)) return 'it is not an object';
    const entries = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
    return entries.length > MAX_FIELDS ? `it has more than ${MAX_FIELDS} fields` : new Map(entries);
  } catch {
    return 'it cannot be read'; // a getter or a proxy of an in-process source
  }
}

function shapeFault(field: string, value: unknown): string | undefined {
  if (field === 'inputSchema') {
    if (!isRecord(value)) return 'its inputSchema is not an object';
    if (value.type !== undefined && value.type !== 'object')
      return 'its inputSchema describes something else than an object';
  }
  if (TEXT_LENGTHS.has(field) && typeof value !== 'string') return `its ${field} is not a text`;
  if (OBJECT_FIELDS.has(field) && !isRecord(value)) return `its ${field} is not an object`;
  if (field === 'icons' && !Array.isArray(value)) return 'its icons are not a list';
  return undefined;
}

function shorten(field: string, text: string): string {
  const longest = TEXT_LENGTHS.get(field) ?? Number.POSITIVE_INFINITY;
  if (text.length <= longest) return text;
  const start = text.slice(0, longest);
  return `${/[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start} […]`;
}
