import type { EntryField, HostAdapter, HostPlatform } from '../adapters/host-adapter.js';
import { isList, isObject, type JsonValue } from '../edit/document.js';
import type { HostIssue } from '../host-issue.js';
import { readText } from '../variables/host-text.js';
import { formatText, literal } from '../variables/text-parts.js';
import type { EntryForm } from './entry-form.js';

export class EntryReading {
  readonly name: string;
  readonly adapter: HostAdapter;
  readonly form: EntryForm;
  readonly platform: HostPlatform;
  readonly issues: HostIssue[] = [];
  /** The only variables that the host replaces in this entry, each with its value if the entry sets it. */
  own: ReadonlyMap<string, string | undefined> | undefined;

  constructor(name: string, adapter: HostAdapter, form: EntryForm, platform: HostPlatform) {
    this.name = name;
    this.adapter = adapter;
    this.form = form;
    this.platform = platform;
  }

  get isRefused(): boolean {
    return this.issues.some((issue) => issue.severity === 'error');
  }

  reject(message: string): undefined {
    this.#report('not-understood', 'error', message);
  }

  text(value: string, field: EntryField): string {
    const { parts, special } = readText(value, this.form.format.variables, field, this.own);
    const text = formatText(parts);
    if (special || text === undefined) {
      const message = `The ${field} contains an expression that only this host replaces; it is read as literal text`;
      this.#report('host-variable', 'warning', message);
    }
    return text ?? formatText(literal(value)) ?? value;
  }

  texts(value: JsonValue | undefined, field: EntryField, key: string): readonly string[] {
    return this.plainTexts(value, key).map((item) => this.text(item, field));
  }

  /** A list of texts as they are in the file. */
  plainTexts(value: JsonValue | undefined, key: string): readonly string[] {
    if (value === undefined || value === null) return [];
    if (!isList(value)) return this.reject(`${key} is not a list`) ?? [];
    return value.map((item) => this.#plain(item, key));
  }

  /** A map of texts. Numbers and booleans become text. */
  mapping(value: JsonValue | undefined, field: EntryField, key: string): Readonly<Record<string, string>> {
    if (value === undefined || value === null) return {};
    if (!isObject(value)) return this.reject(`${key} is not a map`) ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.text(this.#plain(item, key), field)]),
    );
  }

  /** Reports a field or value that the common form lacks. The message must not contain values. */
  reportUnsupported(message: string): void {
    this.#report('field-not-supported', 'warning', message);
  }

  #plain(value: JsonValue, key: string): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.reject(`${key} contains a value that is not text`) ?? '';
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
