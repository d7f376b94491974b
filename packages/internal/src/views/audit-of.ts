import type { ViewAudit } from './audit-trail.js';

/**
 * Where a view records what is asked of it, for what is served beside the view's tools. The global symbol registry holds the
 * key, because two bundles read it of one view.
 */
export const AUDIT: unique symbol = Symbol.for('@x/mcp-registry.audit');

export interface Audited {
  readonly [AUDIT]: ViewAudit | undefined;
}

/** @param view - A registry's. */
export function auditOf(view: object): ViewAudit | undefined {
  return AUDIT in view ? (view as Audited)[AUDIT] : undefined;
}
