import { LateModule } from '../../late-module.js';

/** Findings, lists for approvals, diffs and explanations of rules. Loaded by the first read of an operator. */
export const operatorCode = new LateModule(() => import('./operator-reports.js'));
