import type { CallHandler } from './contracts.js';
import { isRecord } from './json/json-values.js';
import type { ToolView } from './views/tool-view.js';

/** True unless the client says which extensions it has, without apps. */
export function mayShowApps(handler: Pick<CallHandler, 'capabilities'> | undefined): boolean {
  return handler === undefined || showsApps(handler.capabilities);
}

/** True for a tool that the app of its server calls, and models do not (`_meta.ui.visibility` of MCP Apps). */
export function isOnlyForApps({ _meta: meta }: Pick<ToolView, '_meta'>): boolean {
  const visibility = isRecord(meta?.ui) ? meta.ui.visibility : undefined;
  return Array.isArray(visibility) && !visibility.includes('model');
}

/** Extension of MCP Apps. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** @param capabilities - Those of a client. */
export function showsApps({ extensions }: CallHandler['capabilities']): boolean {
  return isRecord(extensions) && extensions[APPS_EXTENSION] !== undefined;
}

/** Key of the link in `_meta` before MCP Apps had one in `ui`. */
export const OLD_APP_LINK = 'ui/resourceUri';

/** The link of a tool to the page of its app, in the form of MCP Apps or the older one. */
export function appLinkOf({ _meta: meta }: { readonly _meta?: unknown }): string | undefined {
  if (!isRecord(meta)) return undefined;
  const link = (isRecord(meta.ui) ? meta.ui.resourceUri : undefined) ?? meta[OLD_APP_LINK];
  return typeof link === 'string' ? link : undefined;
}
