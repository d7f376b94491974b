import type { HostAdapter } from '../adapters/host-adapter.js';
import type { JsonValue } from '../edit/document-shape.js';
import { isList, isObject } from '../edit/json-value.js';
import type { HostIssue } from '../host-issue.js';
import { readText } from '../variables/host-text.js';
import { formatText, literal } from '../variables/text-parts.js';
import type { EntryField } from '../variables/variable-support.js';
import type { EntryForm } from './entry-form.js';

/** What is found out while one entry is read. */
export class EntryReading {
  readonly name: string;
  readonly adapter: HostAdapter;
  readonly form: EntryForm;
  readonly issues: HostIssue[] = [];

  constructor(name: string, adapter: HostAdapter, form: EntryForm) {
    this.name = name;
    this.adapter = adapter;
    this.form = form;
  }

  get isRefused(): boolean {
    return this.issues.some((issue) => issue.severity === 'error');
  }

  misunderstood(message: string): undefined {
    this.#report('not-understood', 'error', message);
  }

  /** A host's text in our spelling. */
  text(value: string, field: EntryField): string {
    const { parts, special } = readText(value, this.form.format.variables, field);
    const text = formatText(parts);
    if (special || text === undefined) {
      const message = `The ${field} holds something that only this host replaces; it is taken literally`;
      this.#report('host-variable', 'warning', message);
    }
    return text ?? formatText(literal(value)) ?? value;
  }

  texts(value: JsonValue | undefined, field: EntryField, key: string): readonly string[] {
    if (value === undefined || value === null) return [];
    if (!isList(value)) return this.misunderstood(`${key} is no list`) ?? [];
    return value.map((item) => this.text(this.#plain(item, key), field));
  }

  /** A mapping of texts; numbers and truth values count as the text they look like. */
  mapping(value: JsonValue | undefined, field: EntryField, key: string): Readonly<Record<string, string>> {
    if (value === undefined || value === null) return {};
    if (!isObject(value)) return this.misunderstood(`${key} is no mapping`) ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.text(this.#plain(item, key), field)]),
    );
  }

  /** Something that this host has and a server of ours cannot have. Never names a value. */
  notCarried(message: string): void {
    this.#report('field-not-supported', 'warning', message);
  }

  #plain(value: JsonValue, key: string): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.misunderstood(`${key} holds something that is no text`) ?? '';
  }

  #report(
    code: 'not-understood' | 'host-variable' | 'field-not-supported',
    severity: HostIssue['severity'],
    message: string,
  ): void {
    if (this.issues.some((issue) => issue.message === message)) return;
    this.issues.push({ code, severity, host: this.adapter.id, server: this.name, message });
  }
}
