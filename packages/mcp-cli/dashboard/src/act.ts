import type { AdminAction } from '../../src/dashboard/page-messages.js';

/** Confirms and runs an action. `undefined` on a read-only page. */
export type Act = ((action: AdminAction) => void) | undefined;
