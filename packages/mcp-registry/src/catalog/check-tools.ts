import type { SourceTool } from '../source.js';
import { quote, type RegistryDiagnostic } from './diagnostics.js';
import { copyJson, isRecord, JsonCopyError } from './json-copy.js';

export interface CheckedTools {
  /** Frozen copies with unique names, in the order in which they came. */
  readonly tools: readonly SourceTool[];
  readonly refused: readonly RegistryDiagnostic[];
}

/** Where foreign tools come in: what is not a tool is refused with a reason, and the others live. */
export function checkTools(server: string, offered: readonly unknown[]): CheckedTools {
  const tools = new Map<string, SourceTool>();
  const refused: RegistryDiagnostic[] = [];

  for (const [index, entry] of offered.entries()) {
    const checked = checkTool(entry);
    if ('fault' in checked) {
      const label = checked.name === undefined ? `entry ${index + 1} of its list` : quote(checked.name);
      const message = `Server ${quote(server)}: ${label} is not a tool: ${checked.fault}`;
      refused.push({ code: 'invalid-tool', server, tool: checked.name, message });
    } else if (tools.has(checked.tool.name)) {
      const message = `Server ${quote(server)} offers ${quote(checked.tool.name)} more than once; the first is kept`;
      refused.push({ code: 'duplicate-tool', server, tool: checked.tool.name, message });
    } else {
      tools.set(checked.tool.name, checked.tool);
    }
  }
  return { tools: Array.from(tools.values()), refused };
}

type CheckedTool = { readonly tool: SourceTool } | { readonly fault: string; readonly name: string | undefined };

function checkTool(entry: unknown): CheckedTool {
  if (!isRecord(entry)) return { fault: 'it is not an object', name: undefined };
  try {
    const copy = withoutNulls(copyJson(entry) as Readonly<Record<string, unknown>>);
    const fault = faultOf(copy);
    // The claim is earned by faultOf, which has looked at every field that SourceTool names.
    if (fault === undefined) return { tool: copy as unknown as SourceTool };
    return { fault, name: nameOf(copy) };
  } catch (error) {
    if (error instanceof JsonCopyError) return { fault: `it ${error.message}`, name: nameOf(entry) };
    throw error;
  }
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Servers written in languages with null send it for what they leave out. */
function withoutNulls(tool: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.values(tool).includes(null)) return tool;
  return Object.freeze(Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null)));
}

function faultOf(tool: Readonly<Record<string, unknown>>): string | undefined {
  if (nameOf(tool) === undefined) return 'it has no name';
  if (!isRecord(tool.inputSchema)) return 'its inputSchema is not an object';
  if (tool.inputSchema.type !== undefined && tool.inputSchema.type !== 'object') {
    return 'its inputSchema describes something else than an object';
  }
  for (const field of ['title', 'description'] as const) {
    if (tool[field] !== undefined && typeof tool[field] !== 'string') return `its ${field} is not a text`;
  }
  for (const field of ['outputSchema', 'annotations', '_meta'] as const) {
    if (tool[field] !== undefined && !isRecord(tool[field])) return `its ${field} is not an object`;
  }
  if (tool.icons !== undefined && !Array.isArray(tool.icons)) return 'its icons are not a list';
  return undefined;
}
