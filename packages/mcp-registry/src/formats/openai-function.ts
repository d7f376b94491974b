import { type OptionRows, optionTable } from '@x/internal/options';
import { type ShownTool, type ShownToolOptions, shownRows } from './shown-tools.js';
import { toStrictSchema } from './strict-schema.js';

/** Options of tools for the OpenAI APIs. */
export interface OpenAIToolOptions extends ShownToolOptions {
  /**
   * Makes the API enforce the schema. Optional arguments become required and may be `null`, which `run` removes. Tools
   * that cannot be expressed stay unchanged. Default `false`.
   */
  readonly strict?: boolean | undefined;
  /** Longest description, in UTF-16 code units. `Infinity` for no limit. Default 1024. */
  readonly maxDescriptionLength?: number | undefined;
}

/** A function as all OpenAI APIs describe it. */
export interface OpenAIFunction {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

export const OPENAI_RULES = { maxDescriptionLength: 1_024 };
export const openAIRows = {
  ...shownRows,
  strict: { kind: 'flag', default: false },
} as const satisfies OptionRows<OpenAIToolOptions>;
export const openAIOptions = optionTable<OpenAIToolOptions>()(openAIRows);

/** @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
export function toFunction(
  { name, description, schema, report }: ShownTool,
  { strict = false }: OpenAIToolOptions,
): OpenAIFunction {
  const strictSchema = strict ? toStrictSchema(schema, report) : undefined;
  return { name, description, parameters: { ...(strictSchema ?? schema) }, strict: strictSchema !== undefined };
}
