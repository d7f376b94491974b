import { isRecord } from '@x/internal/json';
import { quote } from '@x/internal/text';
import type { RegistryDiagnostic } from '../../catalog/diagnostics.js';
import type { ToolFinding } from '../../findings/tool-finding.js';

/** Hides secrets that a server repeats in names and texts. */
export function redactDiagnostic<Diagnostic extends RegistryDiagnostic>(
  diagnostic: Diagnostic,
  redact: (text: string) => string,
): Diagnostic {
  if (REDACTED.has(diagnostic.code)) return diagnostic;
  const fields: Readonly<Record<string, unknown>> = { ...diagnostic };
  const names = namesIn(fields);
  const shown = Object.entries(fields).map(([key, value]) => {
    if (key === 'message') return [key, redact(requoteNames(String(value), names, redact))];
    return [key, NAME_FIELDS.has(key) ? redactName(value, redact) : value];
  });
  const hidden = Object.fromEntries(shown) as Diagnostic;
  return isChanged(diagnostic, hidden) ? Object.freeze(hidden) : diagnostic;
}

export function redactFinding(finding: ToolFinding, redact: (text: string) => string): ToolFinding {
  const { tool } = finding;
  return Object.freeze({ ...redactDiagnostic(finding, redact), tool });
}

/** Quote no foreign text, or redacted text. */
const REDACTED: ReadonlySet<string> = new Set(['tools-held-back', 'pin-store-failed', 'audit-failed']);

const NAME_FIELDS: ReadonlySet<string> = new Set(['tool', 'field', 'name', 'winner', 'other', 'suggestions']);

function redactName(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactName(item, redact));
  return isRecord(value) ? { ...value, tool: redactName(value.tool, redact) } : value;
}

function namesIn(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return [fields.tool, fields.winner, fields.other].flatMap((value) => {
    const name = isRecord(value) ? value.tool : value;
    return typeof name === 'string' ? [name] : [];
  });
}

/** A quoted name is cut, and redactors do not find half a secret. */
function requoteNames(message: string, names: readonly string[], redact: (text: string) => string): string {
  return names.reduce((text, name) => {
    const shown = redact(name);
    return shown === name ? text : text.replaceAll(quote(name), quote(shown));
  }, message);
}

function isChanged(before: object, after: object): boolean {
  return JSON.stringify({ ...before, cause: undefined }) !== JSON.stringify({ ...after, cause: undefined });
}
