import type { AdminAction } from '../../src/dashboard/page-messages.js';

/** Has an action confirmed and done. Left out on a page that may only look. */
export type Act = ((action: AdminAction) => void) | undefined;
