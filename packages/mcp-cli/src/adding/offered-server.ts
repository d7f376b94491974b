import { escapeTemplate } from '@x/mcp-config-schema/templates';
import { printableLine } from '../output/print.js';
import type { ServerEntry } from '../writing-config/host-entry.js';

/** A server that a file of another author describes, not yet with values for its inputs. */
export interface OfferedServer {
  /** Suggested name in the config. */
  readonly name: string;
  /** Where the description comes from, for the user. */
  readonly origin: string;
  readonly inputs: readonly ServerInput[];
  /** Facts that the user should know, such as a deprecation. */
  readonly notes: readonly string[];
  /** Builds the entry. Inputs without a value are left out. */
  entry(lookUp: LookUp): ServerEntry;
}

/** Value of an input by its key. */
export type LookUp = (key: string) => Piece | undefined;

/** Part of a value: text of another author, or a template of the user, which may name variables. */
export type Piece = { readonly literal: string } | { readonly template: string };

/** A value that the user of a server provides. */
export interface ServerInput {
  /** Unique within the server; for `--input`. */
  readonly key: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** Variable that holds the value if the user gives none. */
  readonly variable: string;
}

/**
 * Pieces as one template. Text of another author names no variable of the user, not even together with the text of the
 * next piece.
 */
export function joined(pieces: readonly Piece[]): string {
  let text = '';
  let pending = '';
  const append = (next: string) => {
    text += text.endsWith('$') && next.startsWith('{') ? `$${next}` : next;
  };
  for (const piece of pieces) {
    if ('literal' in piece) pending += piece.literal;
    else {
      append(escapeTemplate(pending));
      pending = '';
      append(piece.template);
    }
  }
  append(escapeTemplate(pending));
  return text;
}

export function variableName(...words: readonly string[]): string {
  const name = words
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `MCP_${name}`;
}

/** The last part of a name, in characters that are easy to type. */
export function shortName(name: string): string {
  const last = name.split('/').at(-1) ?? name;
  const short = last
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 64);
  return short === '' || short === '__proto__' ? 'server' : short;
}

export function isVariableName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) && name !== '__proto__';
}

/** Note about a name that cannot be written. */
export function leftOut(kind: 'variable' | 'header', name: unknown): string {
  return `No ${kind} can have the name "${printableLine(String(name), 60)}". It was left out.`;
}
