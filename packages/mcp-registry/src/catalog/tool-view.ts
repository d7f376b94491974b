import type { SourceTool, ToolOverride, ToolSourceState } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';

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

export type ToolDefinition = Pick<SourceTool, 'name' | (typeof KEPT_FIELDS)[number]> & {
  readonly keywords?: readonly string[] | undefined;
};

export function toToolView(
  definition: ToolDefinition,
  {
    name,
    server,
    state,
    override,
  }: {
    readonly name: string;
    readonly server: string | undefined;
    readonly state: ToolSourceState;
    readonly override?: ToolOverride | undefined;
  },
): ToolView {
  const view: Record<string, unknown> = { name, server, tool: definition.name };
  const { title = definition.title, description = definition.description } = override ?? {};
  const shown = override === undefined ? definition : { ...definition, title, description };
  for (const field of KEPT_FIELDS) if (shown[field] !== undefined) view[field] = shown[field];
  // A source's `keywords` are unchecked and not covered by approvals.
  if (server === undefined && definition.keywords !== undefined) view.keywords = definition.keywords;
  view.state = state;
  return Object.freeze(view) as unknown as ToolView;
}
