import type { HostFault } from '../host-issue.js';
import { type VariableValues, writeText } from '../variables/host-text.js';
import { parseText, type TextParts } from '../variables/text-parts.js';
import type { EntryField, VariableSupport } from '../variables/variable-support.js';

/** Converts the texts of one server to a host's syntax and collects faults. */
export class EntryTexts {
  readonly #support: VariableSupport;
  readonly #values: VariableValues | undefined;
  readonly #faults: HostFault[];
  readonly #used: string[] = [];

  constructor(support: VariableSupport, values: VariableValues | undefined, faults: HostFault[]) {
    this.#support = support;
    this.#values = values;
    this.#faults = faults;
  }

  /** Values that replaced variables. */
  get used(): readonly string[] {
    return this.#used;
  }

  /** Converts a text. Returns it unchanged after reporting a fault. */
  write(text: string, field: EntryField): string {
    const parts = this.parse(text, field);
    if (parts === undefined) return text;
    const written = writeText(parts, this.#support, field, this.#values);
    if ('fault' in written) {
      this.#report({ ...written.fault, severity: 'error' });
      return text;
    }
    this.#used.push(...written.values);
    return written.text;
  }

  parse(text: string, field: EntryField): TextParts | undefined {
    const parts = parseText(text);
    if (!('malformed' in parts)) return parts;
    const message = `The ${field} contains an unknown variable syntax`;
    const hint = `write \${NAME}, \${NAME:-default} or \${env:NAME}; a literal "\${" is "$\${"`;
    this.#report({ code: 'malformed-variable', severity: 'error', message, hint });
    return undefined;
  }

  #report(fault: HostFault): void {
    if (!this.#faults.some((known) => known.message === fault.message)) this.#faults.push(fault);
  }
}
