import type { ToolView } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';
import { type NoteOptions, type Report, reportAbout } from './format-note.js';
import { type ObjectSchema, toObjectRoot } from './object-root.js';
import { toPlainSchema } from './plain-schema.js';

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

interface ApiRules {
  readonly maxDescriptionLength: number;
  /** Default: any name. */
  readonly propertyName?: RegExp;
}

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws {TypeError} `maxDescriptionLength` is invalid. */
export function shownTools(view: RegistryView, options: ShownToolOptions, rules: ApiRules): readonly ShownTool[] {
  const { maxDescriptionLength = rules.maxDescriptionLength } = options;
  if (!(maxDescriptionLength >= 1)) {
    throw new TypeError(`maxDescriptionLength must be at least 1, got ${maxDescriptionLength}`);
  }
  return view.list().flatMap((tool) => {
    const report = reportAbout(tool.name, options);
    const schema = TOOL_NAME.test(tool.name) ? withAllowedNames(schemaOf(tool, report), rules, report) : undefined;
    if (!TOOL_NAME.test(tool.name)) report('left-out', 'The name is not 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
    if (schema === undefined) return [];
    return [{ name: tool.name, description: describe(tool, maxDescriptionLength, report), schema, report }];
  });
}

/** Schema of the arguments: an object without references. */
export function schemaOf(tool: ToolView, report: Report = () => undefined): ObjectSchema {
  return toObjectRoot(toPlainSchema(tool.inputSchema, report), report);
}

function withAllowedNames(schema: ObjectSchema, { propertyName }: ApiRules, report: Report): ObjectSchema | undefined {
  if (propertyName === undefined) return schema;
  const refused = Object.keys(schema.properties).filter((name) => !propertyName.test(name));
  if (refused.length === 0) return schema;
  const names = refused.map((name) => JSON.stringify(name.slice(0, 80))).join(', ');
  if (schema.required?.some((name) => refused.includes(name))) {
    report('left-out', `The tool needs arguments whose names the API does not take: ${names}`);
    return undefined;
  }
  report('keyword-removed', `Arguments whose names the API does not take are not said: ${names}`);
  const properties = Object.entries(schema.properties).filter(([name]) => propertyName.test(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}

function describe({ description = '', title }: ToolView, maxLength: number, report: Report): string {
  const text = description === '' ? (title ?? '') : description;
  if (text.length <= maxLength) return text;
  report('description-cut', `The description has ${text.length} characters and is cut to ${maxLength}`);
  // Keeps surrogate pairs whole.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
