import { isRecord } from '@x/internal/json';
import { escapeHidden } from '@x/internal/text';
import type { ToolDefinition } from '../catalog/tool-view.js';

export interface ToolText {
  /** Path, such as `inputSchema.properties.path.description`. */
  readonly field: string;
  readonly text: string;
  readonly isProse: boolean;
  /** The text around a position, redacted and safe to print. */
  excerpt(at: number): string;
}

interface ToolTexts {
  readonly texts: readonly ToolText[];
  /** False if the limits cut anything. */
  readonly isWhole: boolean;
}

/** Limits of one tool's scan, in characters and values. */
const MAX_CHARACTERS = 100_000;
const MAX_VALUES = 5_000;
const MAX_FIELD_LENGTH = 300;

const PROSE_KEYS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
const PLAIN_KEY = /^[\w$.@/-]{0,100}$/;

/**
 * All texts of a definition, and keys that are not plain.
 *
 * @param redact - As in `scanTools`.
 */
export function collectTexts(tool: ToolDefinition, redact: (text: string) => string): ToolTexts {
  const texts: ToolText[] = [];
  let characters = MAX_CHARACTERS;
  let values = MAX_VALUES;
  let isWhole = true;

  const add = (field: string, text: string, isProse: boolean) => {
    if (text.length > characters) isWhole = false;
    const shown = text.slice(0, characters);
    characters -= shown.length;
    if (shown === '') return;
    const excerpt = (at: number) => redactedExcerpt(text, at, redact);
    texts.push({ field: field.slice(0, MAX_FIELD_LENGTH), text: shown, isProse, excerpt });
  };

  add('name', tool.name, false);
  if (tool.title !== undefined) add('title', tool.title, true);
  if (tool.description !== undefined) add('description', tool.description, true);
  const { annotations, inputSchema, outputSchema } = tool;
  const steps: Step[] = [];
  for (const [field, value] of Object.entries({ outputSchema, inputSchema, annotations })) {
    if (value !== undefined) steps.push({ field, value, isProse: false });
  }
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (values-- === 0 || characters === 0) return { texts, isWhole: false };
    const { field, value, isProse } = step;
    if (typeof value === 'string') {
      add(field, value, isProse);
      continue;
    }
    for (const [key, inner] of entriesOf(value).reverse()) {
      const path = field.length > MAX_FIELD_LENGTH ? field : `${field}.${redact(key).slice(0, MAX_FIELD_LENGTH)}`;
      if (!PLAIN_KEY.test(key)) add(path, key, false);
      // A property may be called "description"; its schema is not prose.
      if (typeof inner === 'string') steps.push({ field: path, value: inner, isProse: PROSE_KEYS.has(key) });
      else if (typeof inner === 'object' && inner !== null) steps.push({ field: path, value: inner, isProse: false });
    }
  }
  return { texts, isWhole };
}

interface Step {
  readonly field: string;
  readonly value: unknown;
  readonly isProse: boolean;
}

function entriesOf(value: unknown): [string, unknown][] {
  // Bounds the cost of long lists.
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((item, index) => [String(index), item]);
  return isRecord(value) ? Object.entries(value).slice(0, MAX_VALUES) : [];
}

const BEFORE = 20;
const LENGTH = 100;

/** The text around a finding, safe to print. Redacted before the cut, because half a secret is not found. */
function redactedExcerpt(text: string, place: number, redact: (text: string) => string): string {
  const shown = redact(text);
  return excerptAt(shown, shown === text ? place : Math.min(redact(text.slice(0, place)).length, shown.length));
}

function excerptAt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const cut = text.slice(start, start + LENGTH);
  return `${start > 0 ? '…' : ''}${escapeHidden(cut)}${start + LENGTH < text.length ? '…' : ''}`;
}
