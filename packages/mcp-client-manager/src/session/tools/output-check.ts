import { isRecord } from '@x/internal/json';
import { checkValue, type SchemaFault, uncheckedParts, usePatternEngine } from '@x/internal/json-schema';
import { RE2JS } from 're2js';
import { ManagerError } from '../../errors.js';
import type { Redact } from '../../redaction.js';
import type { ServerTool, ToolCallResult } from '../session.js';

const maxSchemaLength = 262_144;
const maxSchemaDepth = 64;

type Schema = Readonly<Record<string, unknown>>;

/** `off`: the schema is unusable. */
interface KnownSchema {
  readonly schema: Schema;
  state: 'new' | 'used' | 'off';
  problem?: string;
}

/**
 * Schemas are untrusted: one that is too large or too expensive is reported and not used. Unsupported keywords accept
 * every value.
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

  get problems(): readonly string[] {
    return Array.from(this.#schemas.values(), ({ problem }) => problem ?? []).flat();
  }

  /** Unchanged schemas keep their state. */
  update(tools: readonly ServerTool[]): void {
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

  #begin(tool: string, known: KnownSchema): void {
    known.state = 'used';
    const fault = faultOf(known.schema);
    if (fault !== undefined) {
      this.#turnOff(tool, known, fault);
      return;
    }
    const gaps = uncheckedParts(known.schema);
    if (gaps.length > 0)
      known.problem = `results of "${tool}" are only partly checked, since its output schema has unsupported parts: ${this.#brief(gaps.join('; '))}`;
  }

  #turnOff(tool: string, known: KnownSchema, why: string): void {
    known.state = 'off';
    known.problem = `results of "${tool}" are not checked, since its output schema is unusable: ${this.#brief(why)}`;
  }

  #brief(text: string): string {
    return this.#redact(text).slice(0, 300);
  }

  #describe(faults: readonly SchemaFault[]): string {
    const texts = faults.map(({ path, message }) => `structuredContent${path} ${message}`);
    return this.#redact(texts.join(', ')).slice(0, 500);
  }

  #invalid(tool: string, what: string): ManagerError {
    const message = `The result of "${tool}" on server "${this.#server}" does not match the tool's output schema: ${what}`;
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
