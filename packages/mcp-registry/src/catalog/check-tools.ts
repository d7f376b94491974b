import type { SourceTool } from '@x/internal/contracts';
import { HEADER_KEYWORD, headerFault } from '@x/internal/headers';
import { isRecord, isSameJson, JsonCopyError, type JsonLimits, measureCopy } from '@x/internal/json';
import { quote, startOf } from '@x/internal/text';
import type { RegistryDiagnostic } from './diagnostics.js';

const MAX_TOOLS = 100_000;
const MAX_CHARACTERS = 64 * 1_024 * 1_024;
const MAX_DIAGNOSTICS = 1_000;

export interface CheckedTools {
  /** Frozen, with unique names, in order of arrival. */
  readonly tools: readonly SourceTool[];
  readonly refused: readonly RegistryDiagnostic[];
}

export const NO_TOOLS: CheckedTools = Object.freeze({ tools: [], refused: [] });

/** Checks a source's list. Faulty entries are refused. */
export function checkTools(server: string, offered: readonly unknown[], before = NO_TOOLS): CheckedTools {
  const check = new ListCheck(server, offered, before);
  while (!check.isDone) check.step();
  return check.result();
}

/** Checks one entry per step, so that long lists take turns. */
export class ListCheck {
  readonly #server: string;
  readonly #offered: readonly unknown[];
  readonly #before: CheckedTools;
  readonly #known: ReadonlyMap<string, SourceTool>;
  readonly #tools = new Map<string, SourceTool>();
  readonly #diagnostics: RegistryDiagnostic[] = [];
  readonly #length: number;
  #refused = 0;
  #next = 0;
  #charactersLeft = MAX_CHARACTERS;

  /** @param before - The previous list; unchanged tools stay the same objects. */
  constructor(server: string, offered: readonly unknown[], before: CheckedTools) {
    this.#server = server;
    this.#offered = offered;
    this.#before = before;
    this.#known = new Map(before.tools.map((tool) => [tool.name, tool]));
    this.#length = Math.min(offered.length, MAX_TOOLS);
  }

  get isDone(): boolean {
    return this.#next >= this.#length;
  }

  step(): void {
    const index = this.#next++;
    const checked = checkTool(this.#offered[index]);
    if ('fault' in checked) this.#refuse(index, checked.name, checked.fault);
    else this.#accept(index, checked);
  }

  result(): CheckedTools {
    const tools = Array.from(this.#tools.values());
    const refused = [...this.#diagnostics, ...this.#summary()];
    const { tools: known, refused: earlier } = this.#before;
    const isSame = tools.length === known.length && tools.every((tool, index) => tool === known[index]);
    return isSame && isSameJson(refused, earlier) ? this.#before : { tools, refused };
  }

  #accept(index: number, { tool, characters, reductions }: AcceptedTool): void {
    const { name } = tool;
    if (this.#tools.has(name)) {
      const message = `Server ${quote(this.#server)} offers ${quote(name)} more than once; the first is kept`;
      this.#report({ code: 'duplicate-tool', server: this.#server, tool: name, message });
      return;
    }
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0) {
      this.#refuse(
        index,
        name,
        `the tools before it have ${MAX_CHARACTERS} characters, which is all that one server may have`,
      );
      return;
    }
    const earlier = this.#known.get(name);
    this.#tools.set(name, earlier !== undefined && isSameJson(earlier, tool) ? earlier : tool);
    for (const { field, what } of reductions) this.#reportReduction(name, field, what);
  }

  #refuse(index: number, name: string | undefined, fault: string): void {
    const label = name === undefined ? `entry ${index + 1} of its list` : quote(name);
    const message = `Server ${quote(this.#server)}: ${label} is not a tool: ${fault}`;
    this.#report({ code: 'invalid-tool', server: this.#server, tool: name, message });
  }

  #reportReduction(tool: string, field: string, what: string): void {
    const message = `Server ${quote(this.#server)}: the ${quote(field)} of ${quote(tool)} ${what}`;
    this.#report({ code: 'reduced-tool', server: this.#server, tool, field, message });
  }

  #report(diagnostic: RegistryDiagnostic): void {
    if (++this.#refused <= MAX_DIAGNOSTICS) this.#diagnostics.push(diagnostic);
  }

  #summary(): readonly RegistryDiagnostic[] {
    const server = this.#server;
    const unreported = this.#refused - this.#diagnostics.length;
    const unread = this.#offered.length - this.#length;
    const parts = [
      ...(unreported > 0 ? [`${unreported} more entries of its list were refused or shortened`] : []),
      ...(unread > 0 ? [`${unread} entries after the first ${MAX_TOOLS} were not read`] : []),
    ];
    if (parts.length === 0) return [];
    return [{ code: 'too-many-tools', server, message: `Server ${quote(server)}: ${parts.join(', and ')}` }];
  }
}

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

type CheckedTool = AcceptedTool | { readonly fault: string; readonly name: string | undefined };

interface AcceptedTool {
  readonly tool: SourceTool;
  readonly characters: number;
  readonly reductions: readonly { readonly field: string; readonly what: string }[];
}

/**
 * Checks a foreign value and returns a frozen copy. Long texts are cut, and other large fields are left out, but never
 * the name or the input schema.
 */
function checkTool(entry: unknown): CheckedTool {
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
  return `${startOf(text, longest)} […]`;
}
