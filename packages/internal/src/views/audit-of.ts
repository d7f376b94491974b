import type { ViewAudit } from './audit-trail.js';

/** Key of a view's audit trail. A global symbol, because two bundles read it of one view. */
export const AUDIT: unique symbol = Symbol.for('@x/mcp-registry.audit');

export interface Audited {
  readonly [AUDIT]: ViewAudit | undefined;
}

export function auditOf(view: object): ViewAudit | undefined {
  return AUDIT in view ? (view as Audited)[AUDIT] : undefined;
}
