import { copyJson, isRecord, isSameJson } from '@x/internal/json';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { isThenable } from '../thenable.js';
import { DEFINITION_LIMITS } from './check-pins.js';
import { hidesSecretsAlone, type RedactData, RedactionBudget } from './exact-redaction.js';
import type { ToolPin } from './pin-store.js';
import { PINNED_FIELDS, type PinnedDefinition, toolDigest } from './pinned-definition.js';

const FAILURE = 'could not be redacted';
const NOT_EXACT = 'has hidden text that is more than a secret';
const NOT_KEPT = '[not kept: it could not be redacted]';

/** A tool without the secrets that its server repeats in it. */
export interface RedactedTool<Definition> {
  /** The tool itself if it contains no secret. A field that could not be redacted is replaced. */
  readonly definition: Definition;
  /** Reason why `definition` does not identify the tool, which is therefore never trusted. */
  readonly fault?: string | undefined;
  /** The redactor failed, and may succeed next time. */
  readonly isFailure?: boolean;
}

/**
 * Tools as they are pinned: without the secrets that their server repeats in them. So a pin holds no secret, and another
 * value of a secret is no other tool. Only the own name of a tool stays, since its pin is found by that.
 */
export class RedactedTools {
  readonly #redact: RedactData | undefined;
  readonly #tools = new WeakMap<ToolDefinition, RedactedTool<ToolDefinition>>();
  readonly #exact = new WeakMap<object, Map<string, { readonly value: unknown; readonly isExact: boolean }>>();

  readonly #budgets = new WeakMap<object, RedactionBudget>();

  constructor(redact: RedactData | undefined) {
    this.#redact = redact;
  }

  /** True if a redactor is set. */
  get isActive(): boolean {
    return this.#redact !== undefined;
  }

  /** Call it with the tools of a listing first: they share its budget. */
  listed(tools: readonly ToolDefinition[]): void {
    if (this.#redact === undefined) return;
    const budget = new RedactionBudget();
    for (const tool of tools) if (!this.#budgets.has(tool)) this.#budgets.set(tool, budget);
  }

  of(tool: ToolDefinition): RedactedTool<ToolDefinition> {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const redacted = this.anew(tool);
    if (redacted.fault === undefined) this.#tools.set(tool, redacted); // a redactor may fail once
    return redacted;
  }

  /** As `of`, with the currently known secrets. */
  anew<Definition extends ToolDefinition | PinnedDefinition>(tool: Definition): RedactedTool<Definition> {
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
    // Deeply frozen, as tools of the catalog are.
    const definition = changed.length === 0 ? tool : Object.freeze({ ...tool, ...Object.fromEntries(changed) });
    return faults.length === 0 ? { definition } : { definition, fault: faults.join(', and '), isFailure };
  }

  /** Computed once per redaction of a field, because it is expensive. */
  #isExact(redact: RedactData, tool: ToolDefinition | PinnedDefinition, field: keyof PinnedDefinition, value: unknown) {
    const known = this.#exact.get(tool) ?? new Map();
    this.#exact.set(tool, known);
    const before = known.get(field);
    if (before !== undefined && isSameJson(before.value, value)) return before.isExact;
    const isExact = hidesSecretsAlone(redact, tool[field], value, this.#budgets.get(tool));
    known.set(field, { value, isExact });
    return isExact;
  }

  /** Reason why a tool cannot be approved. */
  obstacle(tool: ToolDefinition): string | undefined {
    const { name } = tool;
    const { value, fault } = this.#redact === undefined ? { value: name } : redactField(this.#redact, name);
    if (fault === undefined && value !== name) return 'its name holds a secret, and a pin keeps the name';
    return this.anew(tool).fault ?? (fault && `its name ${fault}`);
  }

  /** The pin itself if it contains no secret, or if that is unknown. */
  pin(pin: ToolPin): ToolPin {
    const redacted = this.anew(pin.definition);
    if (redacted.definition === pin.definition || redacted.isFailure === true) return pin;
    // An inexact redaction identifies no tool: its title makes it the pin of another one.
    const definition =
      redacted.fault === undefined ? redacted.definition : Object.freeze({ ...redacted.definition, title: NOT_KEPT });
    return Object.freeze({ ...pin, definition, digest: toolDigest(definition) });
  }

  /** A text for people, such as the name of a tool in a message. Bound. */
  readonly text = (text: string): string =>
    this.#redact === undefined ? text : (redactField(this.#redact, text).value as string);
}

interface RedactedField {
  /** Frozen, and of the same kind. */
  readonly value: unknown;
  readonly fault?: string | undefined;
}

/** The secrets that a failing redactor would have hidden are unknown. */
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
    // as for a result of another kind
  }
  return { value: isRecord(value) ? Object.freeze({}) : NOT_KEPT, fault: FAILURE };
}

/**
 * True if keys of one object become equal: their entries could change places, or one of them be lost, without a trace.
 */
function hasEqualKeys(value: unknown, redact: RedactData): boolean {
  if (Array.isArray(value)) return value.some((item) => hasEqualKeys(item, redact));
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  if (new Set(keys.map((key) => redact(key))).size < keys.length) return true;
  return Object.values(value).some((item) => hasEqualKeys(item, redact));
}

/** All entries of objects and lists. Lists of numbers do not count: a redactor may see the bytes of a secret in one. */
function countEntries(value: unknown): number {
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + countEntries(item), Object.keys(value).length);
}
