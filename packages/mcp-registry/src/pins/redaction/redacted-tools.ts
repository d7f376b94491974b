import { copyJson, isRecord, isSameJson } from '@x/internal/json';
import type { ToolDefinition } from '../../catalog/tool-view.js';
import { isThenable } from '../../thenable.js';
import { DEFINITION_LIMITS } from '../check-pins.js';
import type { ToolPin } from '../pin-store.js';
import { PINNED_FIELDS, type PinnedDefinition, toolDigest } from '../pinned-definition.js';
import { hidesSecretsAlone, type RedactData, RedactionBudget } from './exact-redaction.js';

const FAILURE = 'could not be redacted';
const NOT_EXACT = 'has hidden text that is more than a secret';
const NOT_KEPT = '[not kept: it could not be redacted]';

/** A tool without the secrets that its server repeats. */
interface RedactedTool<Definition> {
  /** The tool itself if nothing is hidden. Fields that cannot be redacted are replaced. */
  readonly definition: Definition;
  /** Reason why the tool is never trusted: `definition` does not identify it. */
  readonly fault?: string | undefined;
  /** The redactor failed and may succeed next time. */
  readonly isFailure?: boolean;
}

/**
 * Redacts tools before they are pinned, so that no pin holds a secret, and a new value of a secret does not change a
 * tool. The tool's own name stays, because it finds the pin.
 */
export class RedactedTools {
  readonly #redact: RedactData | undefined;
  readonly #tools = new WeakMap<ToolDefinition, RedactedTool<ToolDefinition>>();
  readonly #exact = new WeakMap<object, Map<string, { readonly value: unknown; readonly isExact: boolean }>>();

  readonly #budgets = new WeakMap<object, RedactionBudget>();

  constructor(redact: RedactData | undefined) {
    this.#redact = redact;
  }

  get isActive(): boolean {
    return this.#redact !== undefined;
  }

  /** Assigns one budget to the tools of a listing. Call it first. */
  listed(tools: readonly ToolDefinition[]): void {
    if (this.#redact === undefined) return;
    const budget = new RedactionBudget();
    for (const tool of tools) if (!this.#budgets.has(tool)) this.#budgets.set(tool, budget);
  }

  of(tool: ToolDefinition): RedactedTool<ToolDefinition> {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const redacted = this.redactAgain(tool);
    if (redacted.fault === undefined) this.#tools.set(tool, redacted); // a failed redactor may succeed next time
    return redacted;
  }

  /** As `of`, but with the currently known secrets. */
  redactAgain<Definition extends ToolDefinition | PinnedDefinition>(tool: Definition): RedactedTool<Definition> {
    const redact = this.#redact;
    if (redact === undefined) return { definition: tool };
    const changed: [string, unknown][] = [];
    const faults: string[] = [];
    let isFailure = false;
    for (const field of PINNED_FIELDS) {
      if (field === 'name' || tool[field] === undefined) continue;
      const redacted = redactField(redact, tool[field]);
      const { value } = redacted;
      const isSame = isSameJson(value, tool[field]);
      const fault = redacted.fault ?? (isSame || this.#isExact(redact, tool, field, value) ? undefined : NOT_EXACT);
      if (fault !== undefined) faults.push(`its ${field} ${fault}`);
      isFailure ||= fault === FAILURE;
      if (!isSame) changed.push([field, value]);
    }
    const definition = changed.length === 0 ? tool : Object.freeze({ ...tool, ...Object.fromEntries(changed) });
    return faults.length === 0 ? { definition } : { definition, fault: faults.join(', and '), isFailure };
  }

  /** Cached, because the check is expensive. */
  #isExact(redact: RedactData, tool: ToolDefinition | PinnedDefinition, field: keyof PinnedDefinition, value: unknown) {
    const known = this.#exact.get(tool) ?? new Map();
    this.#exact.set(tool, known);
    const before = known.get(field);
    if (before !== undefined && isSameJson(before.value, value)) return before.isExact;
    const isExact = hidesSecretsAlone(redact, tool[field], value, this.#budgets.get(tool));
    known.set(field, { value, isExact });
    return isExact;
  }

  obstacle(tool: ToolDefinition): string | undefined {
    const { name } = tool;
    const { value, fault } = this.#redact === undefined ? { value: name } : redactField(this.#redact, name);
    if (fault === undefined && value !== name) return 'its name holds a secret, and a pin keeps the name';
    return this.redactAgain(tool).fault ?? (fault && `its name ${fault}`);
  }

  /** Redacts a pin, unless the redactor fails. */
  pin(pin: ToolPin): ToolPin {
    const redacted = this.redactAgain(pin.definition);
    if (redacted.definition === pin.definition || redacted.isFailure === true) return pin;
    // An inexact redaction must not identify a tool, so its title is replaced.
    const definition =
      redacted.fault === undefined ? redacted.definition : Object.freeze({ ...redacted.definition, title: NOT_KEPT });
    return Object.freeze({ ...pin, definition, digest: toolDigest(definition) });
  }

  /** Redacts a text for people. Bound to this object. */
  readonly text = (text: string): string =>
    this.#redact === undefined ? text : (redactField(this.#redact, text).value as string);
}

interface RedactedField {
  readonly value: unknown;
  readonly fault?: string | undefined;
}

/** The whole field is replaced if the redactor fails. */
function redactField(redact: RedactData, value: unknown): RedactedField {
  try {
    const answer = redact(value);
    if (!isThenable(answer) && isRecord(answer) === isRecord(value) && typeof answer === typeof value) {
      const copy = copyJson(answer, DEFINITION_LIMITS);
      if (isSameJson(copy, value)) return { value };
      if (hasEqualKeys(value, redact)) return { value: copy, fault: 'has keys that differ only in a secret' };
      if (countEntries(copy) === countEntries(value)) return { value: copy };
    }
  } catch {
    // the same as an invalid result
  }
  return { value: isRecord(value) ? Object.freeze({}) : NOT_KEPT, fault: FAILURE };
}

/** True if redaction makes keys of one object equal: their entries could be swapped or lost. */
function hasEqualKeys(value: unknown, redact: RedactData): boolean {
  if (Array.isArray(value)) return value.some((item) => hasEqualKeys(item, redact));
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  if (new Set(keys.map((key) => redact(key))).size < keys.length) return true;
  return Object.values(value).some((item) => hasEqualKeys(item, redact));
}

/** Number of entries, without lists of numbers, which may be redacted as bytes. */
function countEntries(value: unknown): number {
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + countEntries(item), Object.keys(value).length);
}
