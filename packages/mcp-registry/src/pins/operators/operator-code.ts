import { LateModule } from '../../late-module.js';

export type OperatorCode = typeof import('./operator-reports.js');

/** Findings, lists for approvals, diffs and explanations of rules. Loaded by the first read of an operator. */
export const operatorCode = new LateModule(() => import('./operator-reports.js'));
