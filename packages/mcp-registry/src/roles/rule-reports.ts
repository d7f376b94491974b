// What operators read about rules.
export { explainDecision } from './explain-role.js';
export { findAmbiguous, findUnmatched, notesFor } from './rule-diagnostics.js';
