import type { Redactor } from '@x/internal/secrets';
import type { ConfigIssue } from '../issues.js';

/** Redacts secrets in issues. Keeps positions, so that issues can be found. */
export function hideInIssues(issues: readonly ConfigIssue[], redactor: Redactor): readonly ConfigIssue[] {
  return issues.map((issue) => hidden(issue, redactor));
}

const kept: ReadonlySet<string> = new Set(['code', 'severity', 'file', 'path']);

/** Redacts all texts of a value except for the kept fields. */
function hidden<Part>(part: Part, redactor: Redactor): Part;
function hidden(part: unknown, redactor: Redactor): unknown {
  if (typeof part === 'string') return redactor.redact(part);
  if (Array.isArray(part)) return part.map((item) => hidden(item, redactor));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, kept.has(key) ? value : hidden(value, redactor)]),
  );
}
