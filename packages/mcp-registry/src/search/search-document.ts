import { isRecord } from '../catalog/json-copy.js';
import type { ToolEntry } from '../catalog/snapshot.js';
import type { ToolView } from '../catalog/tool-view.js';
import type { JsonSchema } from '../source.js';

/** The texts of one tool that a search looks at, each as it came or cut. */
export interface SearchDocument {
  /** Public name. */
  readonly name: string;
  readonly tool: string;
  readonly server: string;
  readonly title: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Names of the arguments, and the values that they may have where those are listed. */
  readonly parameters: readonly string[];
  readonly parameterDescriptions: readonly string[];
}

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_PARAMETER_DESCRIPTION_LENGTH = 500;
const MAX_SCHEMA_DEPTH = 3;
const MAX_PARAMETERS = 200;

export function toSearchDocument({ view }: ToolEntry): SearchDocument {
  return {
    name: view.name,
    tool: view.tool.slice(0, MAX_NAME_LENGTH),
    server: (view.server ?? '').slice(0, MAX_NAME_LENGTH),
    title: titleOf(view).slice(0, MAX_NAME_LENGTH),
    description: (view.description ?? '').slice(0, MAX_DESCRIPTION_LENGTH),
    keywords: view.keywords ?? [],
    ...collectParameters(view.inputSchema),
  };
}

/** What stands in annotations has not been checked. */
function titleOf({ title, annotations }: ToolView): string {
  const text: unknown = title ?? annotations?.title;
  return typeof text === 'string' ? text : '';
}

/** Bounded, because the schema is foreign and may be as large and as deep as it likes. */
function collectParameters(schema: JsonSchema) {
  const parameters: string[] = [];
  const parameterDescriptions: string[] = [];

  function walk(node: unknown, depth: number): void {
    if (!isRecord(node) || depth > MAX_SCHEMA_DEPTH || parameters.length >= MAX_PARAMETERS) return;
    if (Array.isArray(node.enum)) {
      parameters.push(...node.enum.filter((value) => typeof value === 'string').slice(0, MAX_PARAMETERS));
    }
    if (depth > 0 && typeof node.description === 'string') {
      parameterDescriptions.push(node.description.slice(0, MAX_PARAMETER_DESCRIPTION_LENGTH));
    }
    if (isRecord(node.properties)) {
      for (const [name, property] of Object.entries(node.properties).slice(0, MAX_PARAMETERS)) {
        parameters.push(name.slice(0, MAX_NAME_LENGTH));
        walk(property, depth + 1);
      }
    }
    walk(node.items, depth + 1);
  }
  walk(schema, 0);
  return { parameters: parameters.slice(0, MAX_PARAMETERS), parameterDescriptions };
}
