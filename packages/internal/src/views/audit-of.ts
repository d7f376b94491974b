import type { ViewAudit } from './audit-trail.js';

/**
 * Key of a view's audit trail, for requests that are served beside the view's tools. In the global symbol registry,
 * because two bundles read it of one view.
 */
export const AUDIT: unique symbol = Symbol.for('@x/mcp-registry.audit');

export interface Audited {
  readonly [AUDIT]: ViewAudit | undefined;
}

/** @param view - A registry's view. */
export function auditOf(view: object): ViewAudit | undefined {
  return AUDIT in view ? (view as Audited)[AUDIT] : undefined;
}
