import type { OptionRows } from '@x/internal/options';
import { startOf } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { type NoteOptions, type Report, reportAbout } from './format-note.js';
import { type ObjectSchema, schemaOf } from './object-schema.js';
import { wellFormed } from './well-formed.js';

/** A tool before its conversion to an API's form. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
  readonly report: Report;
}

/** Options common to all formats. */
export interface ShownToolOptions extends NoteOptions {
  /** Longest description, in UTF-16 code units; a longer one is cut and ends in `…`. Default: the API's limit. */
  readonly maxDescriptionLength?: number | undefined;
}

export const shownRows = {
  maxDescriptionLength: {
    kind: 'other',
    check: (given: unknown) => (typeof given === 'number' && given >= 1 ? undefined : `at least 1, got ${given}`),
  },
  onNote: { kind: 'function' },
} as const satisfies OptionRows<ShownToolOptions>;

/** Limits of an API, which refuses a whole request for one invalid tool. */
export interface ApiRules {
  /** Default: any length. */
  readonly maxDescriptionLength?: number;
  /** Default: `TOOL_NAME`. */
  readonly toolName?: NameRule;
  /** Names of arguments. Default: any name. */
  readonly propertyName?: RegExp;
}

interface NameRule {
  readonly pattern: RegExp;
  /** The pattern in words. */
  readonly text: string;
}

export const TOOL_NAME: NameRule = {
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  text: '1 to 64 characters of A-Z, a-z, 0-9, _ and -',
};

/** `undefined` if the API allows no such tool. */
export function toShownTool(tool: ToolView, options: ShownToolOptions, rules: ApiRules): ShownTool | undefined {
  const { maxDescriptionLength = rules.maxDescriptionLength ?? Number.POSITIVE_INFINITY } = options;
  const { name } = tool;
  const { pattern, text } = rules.toolName ?? TOOL_NAME;
  const report = reportAbout(name, options);
  if (!pattern.test(name)) {
    report('left-out', `The name is not ${text}`);
    return undefined;
  }
  const schema = withAllowedNames(schemaOf(tool, report), rules, report);
  if (schema === undefined) return undefined;
  return { name, description: describe(tool, maxDescriptionLength, report), schema: wellFormed(schema), report };
}

function withAllowedNames(schema: ObjectSchema, { propertyName }: ApiRules, report: Report): ObjectSchema | undefined {
  if (propertyName === undefined) return schema;
  const refused = Object.keys(schema.properties).filter((name) => !propertyName.test(name));
  if (refused.length === 0) return schema;
  const names = refused.map((name) => JSON.stringify(name.slice(0, 80))).join(', ');
  if (schema.required?.some((name) => refused.includes(name))) {
    report('left-out', `Required arguments have names that the API does not allow: ${names}`);
    return undefined;
  }
  report('keyword-removed', `Arguments with names that the API does not allow are omitted: ${names}`);
  const properties = Object.entries(schema.properties).filter(([name]) => propertyName.test(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

function describe({ description = '', title }: ToolView, maxLength: number, report: Report): string {
  const text = wellFormed(description === '' ? (title ?? '') : description);
  if (text.length <= maxLength) return text;
  report('description-cut', `The description has ${text.length} characters and is cut to ${maxLength}`);
  return `${startOf(text, maxLength - 1)}…`;
}
