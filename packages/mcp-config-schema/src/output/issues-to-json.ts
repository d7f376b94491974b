import type { ConfigIssue } from '../issues.js';
import { nameOfPath } from '../schema/values.js';
import { pageOf } from './issue-rules.js';

/** Issues as plain JSON. */
export interface IssueReport {
  /** True without errors; warnings do not count. */
  readonly ok: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly issues: readonly ReportedIssue[];
}

/** An issue with its path as text and the address of its page. */
export type ReportedIssue = ConfigIssue & {
  /** Such as `mcp_servers.git.args[0]`; empty for the whole file. */
  readonly pathText: string;
  readonly help: string;
};

/** Converts issues to JSON values, in the same order. */
export function issuesToJson(issues: readonly ConfigIssue[]): IssueReport {
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  return {
    ok: errors === 0,
    errors,
    warnings: issues.length - errors,
    issues: issues.map((issue) => ({
      ...issue,
      pathText: issue.path.length === 0 ? '' : nameOfPath(issue.path),
      help: pageOf(issue.code),
    })),
  };
}
