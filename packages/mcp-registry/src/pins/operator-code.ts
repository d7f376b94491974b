import { LateModule } from '../late-module.js';

/** What operators alone read: findings, lists of tools for an approval, differences. Loaded by the first such read. */
export const operatorCode = new LateModule(() => import('./operator-reports.js'));
