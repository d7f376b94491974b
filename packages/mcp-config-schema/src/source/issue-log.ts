import type { ConfigIssue, ConfigPath } from '../issues.js';
import { limits } from './limits.js';

/** Limits the stored issues, so that faulty text does not exhaust memory; counts the others. */
export class IssueLog {
  /** Number of issues, including dropped ones. */
  count = 0;
  readonly #kept = { error: [] as ConfigIssue[], warning: [] as ConfigIssue[] };
  readonly #dropped = { error: 0, warning: 0 };
  readonly #faulty = new Map<string, ConfigPath>();
  #lastFaulty: ConfigPath | undefined;

  /** Calls `describe` only for stored issues. */
  add(severity: ConfigIssue['severity'], path: ConfigPath, describe: () => ConfigIssue): void {
    this.count += 1;
    if (severity === 'error' && path !== this.#lastFaulty) {
      this.#faulty.set(JSON.stringify(path.slice(0, 2)), path.slice(0, 2));
      this.#lastFaulty = path;
    }
    // Separate limits, so that warnings leave room for errors.
    if (this.#kept[severity].length < limits.issues) this.#kept[severity].push(describe());
    else this.#dropped[severity] += 1;
  }

  /** Paths of entries with errors, at most two steps long, without repetition. */
  get faultyEntries(): Iterable<ConfigPath> {
    return this.#faulty.values();
  }

  byPlace(): readonly ConfigIssue[] {
    const kept = [...this.#kept.error, ...this.#kept.warning].sort((a, b) => a.line - b.line || a.column - b.column);
    const last = kept.at(-1);
    const more = this.#dropped.error + this.#dropped.warning;
    return more === 0 || last === undefined ? kept : [...kept, this.#moreThan(last, more)];
  }

  #moreThan({ file, line, column }: ConfigIssue, more: number): ConfigIssue {
    const severity = this.#dropped.error > 0 ? 'error' : 'warning';
    const message = `There are ${more} more issues in this text than are listed`;
    const hint = 'correct the listed issues and check again';
    return {
      code: 'too-many-issues',
      severity,
      message,
      hint,
      limit: limits.issues,
      more,
      file,
      line,
      column,
      path: [],
    };
  }
}
