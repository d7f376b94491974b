import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';

/** The name of instructions among tools, which never have an empty name. */
export const INSTRUCTIONS = '';

// Listings are immutable.
const made = new WeakMap<SourceTools, ToolDefinition>();

/**
 * A server's instructions as a definition to approve. Empty for a running server that offers only resources or prompts,
 * which need an approval too.
 */
export function instructionsOf(listing: SourceTools): ToolDefinition | undefined {
  const { instructions = '', checked, state } = listing;
  if (instructions === '' && (checked.tools.length > 0 || state !== 'running')) return undefined;
  const known = made.get(listing) ?? Object.freeze({ name: INSTRUCTIONS, description: instructions, inputSchema: {} });
  made.set(listing, known);
  return known;
}
