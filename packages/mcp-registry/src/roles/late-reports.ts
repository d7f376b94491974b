import { LateModule } from '../late-module.js';

/** Explanations and diagnostics of rules. Loaded by the first read of an operator. */
export const ruleReports = new LateModule(() => import('./rule-reports.js'));
