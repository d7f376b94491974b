import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../errors.js';
import type { Redact } from '../redaction.js';
import { inTime } from './in-time.js';
import type { ServerTool, ToolCallResult } from './session.js';

/** Larger schemas are not used, in characters of JSON and in levels. */
const maxSchemaLength = 262_144;
const maxSchemaDepth = 64;
/** Longest time for compiling one schema, and for checking one result, in milliseconds. */
const timeLimitMs = 250;

type Validate = (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };
type Verdict = { readonly validate: Validate } | 'off';

/**
 * Checks structured results against the schemas that the server listed last. A schema is the server's, so it is not
 * trusted with our time: one that is too large or too slow, or that does not compile, is said to be so and not used.
 */
export class OutputCheck {
  readonly #server: string;
  readonly #redact: Redact;
  readonly #schemas = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #verdicts = new Map<string, Verdict>();
  readonly #problems = new Map<string, string>();

  constructor({ server, redact }: { server: string; redact: Redact }) {
    this.#server = server;
    this.#redact = redact;
  }

  /** Whether there is something to check a result of the tool against. */
  has(tool: string): boolean {
    return this.#schemas.has(tool);
  }

  /** What was wrong with schemas that had to be used, for people. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** To be called with every new list. A schema that stays the same is not compiled again. */
  learn(tools: readonly ServerTool[]): void {
    const listed = new Map(
      tools.flatMap(({ name, outputSchema }) => (isRecord(outputSchema) ? [[name, outputSchema]] : [])),
    );
    for (const [name, known] of this.#schemas) {
      const schema = listed.get(name);
      if (schema && JSON.stringify(schema) === JSON.stringify(known)) continue;
      this.#schemas.delete(name);
      this.#verdicts.delete(name);
      this.#problems.delete(name);
    }
    for (const [name, schema] of listed) if (!this.#schemas.has(name)) this.#schemas.set(name, schema);
  }

  /** @throws {ManagerError} `invalid-result` */
  check(tool: string, { structuredContent, isError }: ToolCallResult): void {
    if (isError || !this.#schemas.has(tool)) return;
    const verdict = this.#verdict(tool);
    if (verdict === 'off') return;
    if (structuredContent === undefined) throw this.#invalid(tool, 'it has no structured content');
    let outcome: ReturnType<Validate>;
    try {
      outcome = inTime(timeLimitMs, () => verdict.validate(structuredContent));
    } catch (error) {
      this.#turnOff(tool, error); // the schema's fault, not the result's
      return;
    }
    if (!outcome.valid) throw this.#invalid(tool, describe(this.#redact(outcome.errorMessage ?? 'it is not valid')));
  }

  #verdict(tool: string): Verdict {
    const known = this.#verdicts.get(tool);
    if (known) return known;
    try {
      const validate = compile(this.#schemas.get(tool) as Readonly<Record<string, unknown>>);
      this.#verdicts.set(tool, { validate });
      return { validate };
    } catch (error) {
      return this.#turnOff(tool, error);
    }
  }

  #turnOff(tool: string, error: unknown): 'off' {
    const why = error instanceof Error ? error.message : String(error);
    this.#verdicts.set(tool, 'off');
    this.#problems.set(
      tool,
      `results of "${tool}" are not checked, since its output schema cannot be used: ${this.#redact(why).slice(0, 300)}`,
    );
    return 'off';
  }

  #invalid(tool: string, what: string): ManagerError {
    const message = `The result of "${tool}" on server "${this.#server}" does not fit the tool's output schema: ${what}`;
    return new ManagerError('invalid-result', message, { server: this.#server });
  }
}

/** @throws What makes the schema unusable. */
function compile(schema: Readonly<Record<string, unknown>>): Validate {
  if (depthOf(schema) > maxSchemaDepth) throw new Error(`it is more than ${maxSchemaDepth} levels deep`);
  const { length } = JSON.stringify(schema);
  if (length > maxSchemaLength) throw new Error(`it has ${length} characters; the limit is ${maxSchemaLength}`);
  // One for each schema: two of a server's may claim the same `$id`. References to elsewhere are never followed.
  return inTime(timeLimitMs, () => new AjvJsonSchemaValidator().getValidator({ ...schema }));
}

function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= maxSchemaDepth; depth += 1) {
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (level.length === 0) return depth;
  }
  return Number.POSITIVE_INFINITY;
}

/** "data/items/0/name must be string" is how the validator says it, and "data" is its name for the whole. */
function describe(message: string): string {
  return message.replaceAll(/\bdata(?=[/ ])/g, 'structuredContent').slice(0, 500);
}
