import { bytesToHex } from '@noble/hashes/utils.js';
import type { JsonSchema, ToolAnnotations } from '@x/internal/contracts';
import { sha256Of } from '@x/internal/digests';
import { canonicalJson } from '@x/internal/json';
import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';

/**
 * The approved part of a tool: everything that models read or that affects calls. Not `icons` (for people) and not
 * `_meta` (some servers change it each time).
 */
export interface PinnedDefinition {
  /** The tool's own name. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** In reading order. */
export const PINNED_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export function definitionOf(tool: ToolDefinition | PinnedDefinition): PinnedDefinition {
  const kept: Partial<Record<keyof PinnedDefinition, unknown>> = {};
  for (const field of PINNED_FIELDS) if (tool[field] !== undefined) kept[field] = tool[field];
  return Object.freeze(kept) as PinnedDefinition;
}

// A cache, for frozen definitions only.
const digests = new WeakMap<object, string>();

/** `sha256:` and 64 hexadecimal digits. Independent of key order and white space. */
export function toolDigest(tool: ToolDefinition | PinnedDefinition): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const made = `sha256:${bytesToHex(sha256Of(canonicalJson(definitionOf(tool))))}`;
  if (Object.isFrozen(tool)) digests.set(tool, made);
  return made;
}

/** The name of instructions among tools, which never have an empty name. */
export const INSTRUCTIONS = '';

// A cache: listings are immutable.
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
