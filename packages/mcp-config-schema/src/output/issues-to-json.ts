import type { ConfigIssue } from '../issues.js';
import { nameOfPath } from '../schema/value-words.js';
import { pageOf } from './issue-rules.js';

/** Issues as plain JSON, for programs that read the result of a check. */
export interface IssueReport {
  /** Whether there is no error; warnings do not count. */
  readonly ok: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly issues: readonly ReportedIssue[];
}

/** An issue with all its fields, its path in one text, and the page that explains its code. */
export type ReportedIssue = ConfigIssue & {
  /** As in `mcp_servers.git.args[0]`; empty for the file as a whole. */
  readonly pathText: string;
  readonly help: string;
};

/** Everything in it can be given to `JSON.stringify` as it is. Order is that of the issues. */
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
