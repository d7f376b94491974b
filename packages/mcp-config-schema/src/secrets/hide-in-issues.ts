import type { ConfigIssue } from '../issues.js';
import type { Redactor } from './redactor.js';

/** Issues that quote none of the values that a redactor knows. Places stay as they are, or nobody would find them. */
export function hideInIssues(issues: readonly ConfigIssue[], redactor: Redactor): readonly ConfigIssue[] {
  return issues.map((issue) => hidden(issue, redactor));
}

const kept: ReadonlySet<string> = new Set(['code', 'severity', 'file', 'path', 'first']);

function hidden<Part extends object>(part: Part, redactor: Redactor): Part {
  const fields = Object.entries(part).map(([key, value]) => {
    if (kept.has(key)) return [key, value];
    if (typeof value === 'string') return [key, redactor.redact(value)];
    return [key, key === 'by' ? hidden(value, redactor) : value];
  });
  // Texts became other texts, and nothing else changed.
  return Object.fromEntries(fields) as Part;
}
