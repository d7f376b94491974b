import type { ConfigIssue, ConfigPath } from '../issues.js';
import { limits } from './limits.js';

/**
 * What is wrong with one text. As much of it is kept as anybody reads, so that a text of nothing but faults does not
 * take memory and pages without end; of the rest it is known how much there is, and which entries it is about.
 */
export class IssueLog {
  /** How many issues there are, those that are not kept too. */
  count = 0;
  readonly #kept = { error: [] as ConfigIssue[], warning: [] as ConfigIssue[] };
  readonly #dropped = { error: 0, warning: 0 };
  readonly #faulty = new Map<string, ConfigPath>();
  #lastFaulty: ConfigPath | undefined;

  /** `describe` is asked only for an issue that is kept. */
  add(severity: ConfigIssue['severity'], path: ConfigPath, describe: () => ConfigIssue): void {
    this.count += 1;
    if (severity === 'error' && path !== this.#lastFaulty) {
      this.#faulty.set(JSON.stringify(path.slice(0, 2)), path.slice(0, 2));
      this.#lastFaulty = path;
    }
    // Apart, so that warnings leave room for errors.
    if (this.#kept[severity].length < limits.issues) this.#kept[severity].push(describe());
    else this.#dropped[severity] += 1;
  }

  /** Where errors are: the first two steps of their paths, each once. */
  get faultyEntries(): Iterable<ConfigPath> {
    return this.#faulty.values();
  }

  /** In the order of their places, and after them one that says how many more there are. */
  byPlace(): readonly ConfigIssue[] {
    const kept = [...this.#kept.error, ...this.#kept.warning].sort((a, b) => a.line - b.line || a.column - b.column);
    const last = kept.at(-1);
    const more = this.#dropped.error + this.#dropped.warning;
    return more === 0 || last === undefined ? kept : [...kept, this.#moreThan(last, more)];
  }

  #moreThan({ file, line, column }: ConfigIssue, more: number): ConfigIssue {
    const severity = this.#dropped.error > 0 ? 'error' : 'warning';
    const message = `There are ${more} more issues in this text than are listed`;
    const hint = 'correct what is listed, and check again';
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
