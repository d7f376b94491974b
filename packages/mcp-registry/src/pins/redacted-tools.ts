import { copyJson, isRecord, isSameJson } from '@x/internal/json';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { isThenable } from '../thenable.js';
import { DEFINITION_LIMITS } from './check-pins.js';
import type { ToolPin } from './pin-store.js';
import { PINNED_FIELDS, type PinnedDefinition, toolDigest } from './pinned-definition.js';

/** Takes the secrets out of plain data. */
export type RedactData = (value: unknown) => unknown;

const NOT_KEPT = '[not kept: it could not be redacted]';

/** A tool without the secrets that its server repeats in it. */
export interface RedactedTool<Definition> {
  /** The tool itself if it holds no secret. A field that could not be redacted is replaced. */
  readonly definition: Definition;
  /** Why `definition` does not stand for the tool, so that the tool is never trusted. */
  readonly fault?: string | undefined;
}

/**
 * Tools as they are pinned: without the secrets that their server repeats in them. So a pin holds no secret, and another
 * value of a secret is no other tool. Only the own name of a tool stays, since its pin is found by that.
 */
export class RedactedTools {
  readonly #redact: RedactData | undefined;
  readonly #tools = new WeakMap<ToolDefinition, RedactedTool<ToolDefinition>>();

  constructor(redact: RedactData | undefined) {
    this.#redact = redact;
  }

  of(tool: ToolDefinition): RedactedTool<ToolDefinition> {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const redacted = this.anew(tool);
    if (redacted.fault === undefined) this.#tools.set(tool, redacted); // a redactor may fail once
    return redacted;
  }

  /** As `of`, with the secrets that are known by now. */
  anew<Definition extends ToolDefinition | PinnedDefinition>(tool: Definition): RedactedTool<Definition> {
    const redact = this.#redact;
    if (redact === undefined) return { definition: tool };
    const changed: [string, unknown][] = [];
    const faults: string[] = [];
    for (const field of PINNED_FIELDS) {
      if (field === 'name' || tool[field] === undefined) continue;
      const { value, fault } = redactField(redact, tool[field]);
      if (fault !== undefined) faults.push(`its ${field} ${fault}`);
      if (!isSameJson(value, tool[field])) changed.push([field, value]);
    }
    // Frozen all the way down, as tools of the catalog are.
    const definition = changed.length === 0 ? tool : Object.freeze({ ...tool, ...Object.fromEntries(changed) });
    return faults.length === 0 ? { definition } : { definition, fault: faults.join(', and ') };
  }

  /** Why a tool cannot be approved. */
  obstacle(tool: ToolDefinition): string | undefined {
    const { name } = tool;
    const { value, fault } = this.#redact === undefined ? { value: name } : redactField(this.#redact, name);
    if (fault === undefined && value !== name) return 'its name holds a secret, and a pin keeps the name';
    return this.anew(tool).fault ?? (fault && `its name ${fault}`);
  }

  /** The pin itself if there is nothing to take out, or no telling what. */
  pin(pin: ToolPin): ToolPin {
    const { definition, fault } = this.anew(pin.definition);
    if (definition === pin.definition || fault !== undefined) return pin;
    return Object.freeze({ ...pin, definition, digest: toolDigest(definition) });
  }

  /** A text for people. Needs no `this`. */
  readonly text = (text: string): string =>
    this.#redact === undefined ? text : (redactField(this.#redact, text).value as string);
}

interface RedactedField {
  /** Frozen, and of the same kind. */
  readonly value: unknown;
  readonly fault?: string | undefined;
}

/** What a redactor that fails would have taken out is not known. */
function redactField(redact: RedactData, value: unknown): RedactedField {
  const fault = 'could not be redacted';
  try {
    const answer = redact(value);
    if (!isThenable(answer) && isRecord(answer) === isRecord(value) && typeof answer === typeof value) {
      const copy = copyJson(answer, DEFINITION_LIMITS);
      if (isSameJson(copy, value)) return { value };
      if (hasEqualKeys(value, redact)) return { value: copy, fault: 'has keys that differ only in a secret' };
      if (countEntries(copy) === countEntries(value)) return { value: copy };
    }
  } catch {
    // as for an answer of another kind
  }
  return { value: isRecord(value) ? Object.freeze({}) : NOT_KEPT, fault };
}

/** Whether keys of one object become equal: their entries could change places, or one of them be lost, without a trace. */
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
