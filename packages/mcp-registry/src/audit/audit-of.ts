import type { AuditTrail } from './audit-trail.js';

/** Where a view records what is asked of it, for what the package itself serves beside the view's tools. */
export const AUDIT: unique symbol = Symbol('audit');

export interface Audited {
  readonly [AUDIT]: AuditTrail | undefined;
}

/** @param view - A registry's. */
export function auditOf(view: object): AuditTrail | undefined {
  return AUDIT in view ? (view as Audited)[AUDIT] : undefined;
}
