import type { JsonSchema } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';

/** The searched texts of one tool. Long ones are cut. */
export interface SearchDocument {
  readonly name: string;
  /** Own name. Names, titles and keywords have at most 200 characters. */
  readonly tool: string;
  /** Empty for a native tool. */
  readonly server: string;
  readonly title: string;
  /** At most 1 500 characters. */
  readonly description: string;
  readonly keywords: readonly string[];
  /** Names of arguments, with their enumerated values. */
  readonly parameters: readonly string[];
  readonly parameterDescriptions: readonly string[];
}

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1_500;
const MAX_PARAMETER_DESCRIPTION_LENGTH = 500;
const MAX_KEYWORDS = 100;
const MAX_SCHEMA_DEPTH = 3;
const MAX_PARAMETERS = 200;
/** Hostile schemas may have a hundred thousand branches. */
const MAX_SCHEMAS = 500;

const NO_TEXTS: readonly string[] = Object.freeze([]);

export function toSearchDocument(view: ToolView): SearchDocument {
  return {
    name: view.name,
    tool: view.tool.slice(0, MAX_NAME_LENGTH),
    server: (view.server ?? '').slice(0, MAX_NAME_LENGTH),
    title: titleOf(view),
    description: descriptionOf(view),
    keywords: keywordsOf(view),
    ...collectParameters(view.inputSchema),
  };
}

/** Title of a tool. Annotations are unchecked. */
export function titleOf({ title, annotations }: ToolView): string {
  const text: unknown = title ?? annotations?.title;
  return typeof text === 'string' ? text.slice(0, MAX_NAME_LENGTH) : '';
}

export function descriptionOf({ description = '' }: ToolView): string {
  return description.slice(0, MAX_DESCRIPTION_LENGTH);
}

export function keywordsOf({ keywords }: ToolView): readonly string[] {
  if (keywords === undefined) return NO_TEXTS;
  return keywords.slice(0, MAX_KEYWORDS).map((keyword) => keyword.slice(0, MAX_NAME_LENGTH));
}

/** Bounded, because foreign schemas may be large, deep or circular. */
export function collectParameters(schema: JsonSchema): Pick<SearchDocument, 'parameters' | 'parameterDescriptions'> {
  const parameters: string[] = [];
  const parameterDescriptions: string[] = [];
  let left = MAX_SCHEMAS;

  function walk(node: unknown, depth: number): void {
    if (!isRecord(node) || depth > MAX_SCHEMA_DEPTH || parameters.length >= MAX_PARAMETERS || left-- <= 0) return;
    if (Array.isArray(node.enum)) parameters.push(...node.enum.slice(0, MAX_PARAMETERS).flatMap(toName));
    if (depth > 0 && typeof node.description === 'string') {
      parameterDescriptions.push(node.description.slice(0, MAX_PARAMETER_DESCRIPTION_LENGTH));
    }
    if (isRecord(node.properties)) {
      for (const [name, property] of Object.entries(node.properties).slice(0, MAX_PARAMETERS)) {
        parameters.push(...toName(name));
        walk(property, depth + 1);
      }
    }
    walk(node.items, depth + 1);
    for (const branches of [node.anyOf, node.oneOf, node.allOf]) {
      if (Array.isArray(branches)) for (const branch of branches.slice(0, MAX_SCHEMAS)) walk(branch, depth + 1);
    }
  }
  walk(schema, 0);
  return { parameters: parameters.slice(0, MAX_PARAMETERS), parameterDescriptions };
}

function toName(value: unknown): string[] {
  return typeof value === 'string' ? [value.slice(0, MAX_NAME_LENGTH)] : [];
}
