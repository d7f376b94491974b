import { isRecord } from '@x/internal/json';
import type { ListKind } from './list-pages.js';

/** A resource as its server describes it, with unknown keys. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** A template of resource URIs (RFC 6570) as its server describes it. */
export interface ServerResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** A prompt as its server describes it. */
export interface ServerPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

export interface ServerLists {
  readonly 'resources/list': ServerResource;
  readonly 'resources/templates/list': ServerResourceTemplate;
  readonly 'prompts/list': ServerPrompt;
}

export const listKinds: { readonly [Method in keyof ServerLists]: ListKind<ServerLists[Method]> } = {
  'resources/list': {
    key: 'resources',
    isEntry: (value): value is ServerResource => hasText(value, 'uri') && hasText(value, 'name'),
    nameOf: ({ uri }) => uri,
    invalid: 'an entry without a URI or a name was left out',
  },
  'resources/templates/list': {
    key: 'resourceTemplates',
    isEntry: (value): value is ServerResourceTemplate => hasText(value, 'uriTemplate') && hasText(value, 'name'),
    nameOf: ({ uriTemplate }) => uriTemplate,
    invalid: 'an entry without a URI template or a name was left out',
  },
  'prompts/list': {
    key: 'prompts',
    isEntry: (value): value is ServerPrompt => hasText(value, 'name') && hasArguments(value),
    nameOf: ({ name }) => name,
    invalid: 'an entry without a name, or with arguments that are no list of objects, was left out',
  },
};

export function isListEntry(method: string, value: unknown): boolean {
  return Object.hasOwn(listKinds, method) && listKinds[method as keyof ServerLists].isEntry(value);
}

function hasText(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value[key] === 'string' && value[key] !== '';
}

function hasArguments(value: Readonly<Record<string, unknown>>): boolean {
  return value.arguments === undefined || (Array.isArray(value.arguments) && value.arguments.every(isRecord));
}
