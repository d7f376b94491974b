import type { JsonSchema, SourceTool, ToolAnnotations, ToolSourceState } from '@x/internal/contracts';
import type { ToolIdentity } from './public-name.js';

/** One tool as the registry shows it. Frozen all the way down; the same object until something in it changes. */
export interface ToolView extends ToolIdentity {
  /** Public name: what models are given and `call()` takes. Unique in the registry. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Whether calls may become tasks (`taskSupport`), as the source has sent it; not checked. */
  readonly execution?: unknown;
  /** Further words to be found by; only native tools have them. */
  readonly keywords?: readonly string[] | undefined;
  /** State of the tool's source; always `running` for a native tool. */
  readonly state: ToolSourceState;
}

const KEPT_FIELDS = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
  'execution',
] as const;

/** What a view is made from: a source's tool or a native one. */
export type ToolDefinition = Pick<SourceTool, 'name' | (typeof KEPT_FIELDS)[number]> & {
  readonly keywords?: readonly string[] | undefined;
};

export function toToolView(
  definition: ToolDefinition,
  {
    name,
    server,
    state,
  }: { readonly name: string; readonly server: string | undefined; readonly state: ToolSourceState },
): ToolView {
  const view: Record<string, unknown> = { name, server, tool: definition.name };
  for (const field of KEPT_FIELDS) if (definition[field] !== undefined) view[field] = definition[field];
  // A source may send a field of this name, too: nobody has checked what is in it, and no approval covers it.
  if (server === undefined && definition.keywords !== undefined) view.keywords = definition.keywords;
  view.state = state;
  return Object.freeze(view) as unknown as ToolView;
}
