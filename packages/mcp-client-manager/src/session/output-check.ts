import { isRecord } from '@x/internal/json';
import { checkValue, type SchemaFault, uncheckedParts, usePatternEngine } from '@x/internal/json-schema';
import { RE2JS } from 're2js';
import { ManagerError } from '../errors.js';
import type { Redact } from '../redaction.js';
import type { ServerTool, ToolCallResult } from './session.js';

/** Larger schemas are not used, in characters of JSON and in levels. */
const maxSchemaLength = 262_144;
const maxSchemaDepth = 64;

type Schema = Readonly<Record<string, unknown>>;

/** A schema of the list that came last. `off`: it cannot be used. */
interface KnownSchema {
  readonly schema: Schema;
  state: 'new' | 'used' | 'off';
  problem?: string;
}

/**
 * Checks structured results against the schemas that the server listed last. A schema is the server's, so it is not
 * trusted with our time: one that is too large, or takes too much work, is said to be so and not used. A part that cannot be
 * checked lets every value pass.
 */
export class OutputCheck {
  readonly #server: string;
  readonly #redact: Redact;
  readonly #schemas = new Map<string, KnownSchema>();

  constructor({ server, redact }: { server: string; redact: Redact }) {
    this.#server = server;
    this.#redact = redact;
    usePatternEngine(RE2JS);
  }

  /** What was wrong with schemas that had to be used, for people. */
  get problems(): readonly string[] {
    return Array.from(this.#schemas.values(), ({ problem }) => problem ?? []).flat();
  }

  /** To be called with every new list. A schema that stays the same is not compiled again. */
  learn(tools: readonly ServerTool[]): void {
    const listed = new Map(
      tools.flatMap(({ name, outputSchema }) => (isRecord(outputSchema) ? [[name, outputSchema]] : [])),
    );
    for (const [name, known] of this.#schemas) {
      const schema = listed.get(name);
      if (!schema || JSON.stringify(schema) !== JSON.stringify(known.schema)) this.#schemas.delete(name);
    }
    for (const [name, schema] of listed) {
      if (!this.#schemas.has(name)) this.#schemas.set(name, { schema, state: 'new' });
    }
  }

  /** @throws {ManagerError} `invalid-result` */
  check(tool: string, { structuredContent, isError }: ToolCallResult): void {
    const known = isError ? undefined : this.#schemas.get(tool);
    if (!known) return;
    if (known.state === 'new') this.#begin(tool, known);
    if (known.state === 'off') return;
    if (structuredContent === undefined) throw this.#invalid(tool, 'it has no structured content');
    const verdict = checkValue(known.schema, structuredContent);
    if (verdict.outcome === 'unchecked') this.#turnOff(tool, known, verdict.reason);
    else if (verdict.outcome === 'invalid') throw this.#invalid(tool, this.#describe(verdict.faults));
  }

  /** The schema is used for the first time. */
  #begin(tool: string, known: KnownSchema): void {
    known.state = 'used';
    const fault = faultOf(known.schema);
    if (fault !== undefined) {
      this.#turnOff(tool, known, fault);
      return;
    }
    const gaps = uncheckedParts(known.schema);
    if (gaps.length > 0)
      known.problem = `results of "${tool}" are checked in part only, since its output schema has what cannot be checked: ${this.#brief(gaps.join('; '))}`;
  }

  #turnOff(tool: string, known: KnownSchema, why: string): void {
    known.state = 'off';
    known.problem = `results of "${tool}" are not checked, since its output schema cannot be used: ${this.#brief(why)}`;
  }

  #brief(text: string): string {
    return this.#redact(text).slice(0, 300);
  }

  #describe(faults: readonly SchemaFault[]): string {
    const texts = faults.map(({ path, message }) => `structuredContent${path} ${message}`);
    return this.#redact(texts.join(', ')).slice(0, 500);
  }

  #invalid(tool: string, what: string): ManagerError {
    const message = `The result of "${tool}" on server "${this.#server}" does not fit the tool's output schema: ${what}`;
    return new ManagerError('invalid-result', message, { server: this.#server });
  }
}

function faultOf(schema: Schema): string | undefined {
  if (depthOf(schema) > maxSchemaDepth) return `it is more than ${maxSchemaDepth} levels deep`;
  const { length } = JSON.stringify(schema);
  return length > maxSchemaLength ? `it has ${length} characters; the limit is ${maxSchemaLength}` : undefined;
}

function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= maxSchemaDepth; depth += 1) {
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (level.length === 0) return depth;
  }
  return Number.POSITIVE_INFINITY;
}
