import { isRecord } from './json/json-values.js';
import type { ToolView } from './views/tool-view.js';

/** True for a tool that the app of its server calls, and models do not (`_meta.ui.visibility` of MCP Apps). */
export function isOnlyForApps({ _meta: meta }: Pick<ToolView, '_meta'>): boolean {
  const visibility = isRecord(meta?.ui) ? meta.ui.visibility : undefined;
  return Array.isArray(visibility) && !visibility.includes('model');
}
