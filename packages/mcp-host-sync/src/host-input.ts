import type { HostAdapter } from './adapters/host-adapter.js';
import { isList, isObject, type JsonValue } from './edit/document.js';
import { readEntries } from './edit/edit-entries.js';
import { isHostFileError } from './host-error.js';

/** A value that a host asks its user for. Entries name it as `${input:id}`. */
export interface HostInput {
  readonly id: string;
  readonly description?: string | undefined;
  /** True if the host hides what the user types. */
  readonly isSecret: boolean;
  /** The values to choose from. Absent if any text is possible. */
  readonly options?: readonly string[] | undefined;
  readonly default?: string | undefined;
}

/** Inputs in the text of a host's file. A list that cannot be understood has none: it changes no server. */
export function inputsIn(text: string, { inputsKey, dialect }: HostAdapter): readonly HostInput[] {
  if (inputsKey === undefined) return [];
  const shape = { dialect, keyPath: [inputsKey], collection: 'sequence-by-name', nameField: 'id' } as const;
  try {
    return Array.from(readEntries(text, shape), ([id, fields]) => inputOf(id, fields));
  } catch (error) {
    if (isHostFileError(error) && error.code === 'unsupported-shape') return [];
    throw error;
  }
}

function inputOf(id: string, value: JsonValue): HostInput {
  const { description, password, options, default: fallback } = isObject(value) ? value : {};
  const choices = isList(options) ? options.flatMap(textOf) : [];
  return {
    id,
    ...(typeof description === 'string' && { description }),
    isSecret: password === true,
    ...(choices.length > 0 && { options: choices }),
    ...(typeof fallback === 'string' && { default: fallback }),
  };
}

/** An option is a text, or has a label and a value. */
function textOf(option: JsonValue): readonly string[] {
  const value = isObject(option) ? option.value : option;
  return typeof value === 'string' ? [value] : [];
}
