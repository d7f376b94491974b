import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';

/** Name under which a server's instructions are approved. No tool has an empty name. */
export const INSTRUCTIONS = '';

// A pure function of its key: listings are immutable.
const made = new WeakMap<SourceTools, ToolDefinition>();

/**
 * A server's instructions in a form that can be approved like a tool. A server that offers neither tools nor
 * instructions has empty ones: its resources and prompts need an approval as well.
 */
export function instructionsOf(listing: SourceTools): ToolDefinition | undefined {
  const { instructions = '', checked, state } = listing;
  if (instructions === '' && (checked.tools.length > 0 || state !== 'running')) return undefined;
  const known = made.get(listing) ?? Object.freeze({ name: INSTRUCTIONS, description: instructions, inputSchema: {} });
  made.set(listing, known);
  return known;
}
