import { isSpecType } from '@modelcontextprotocol/server';
import type { PartSubject } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { GatewayNames } from '../naming/gateway-names.js';
import type { GatewayUpstream, UpstreamEntry, UpstreamListing, UpstreamListOptions } from '../upstream.js';

/** Kinds of offers beside tools. */
export type PartKind = 'resources' | 'resourceTemplates' | 'prompts';

interface PartRules {
  readonly capability: 'resources' | 'prompts';
  list(upstream: GatewayUpstream, options: UpstreamListOptions): Promise<UpstreamListing<UpstreamEntry>>;
  /** Name within one server. `undefined` for an invalid entry. */
  keyOf(entry: UpstreamEntry): string | undefined;
  subjectOf(server: string, key: string): PartSubject;
  nameOf(names: GatewayNames, server: string, key: string): string;
  /** Sets the name for clients. */
  rename(entry: UpstreamEntry, name: string): UpstreamEntry;
  /** Clients validate a list as a whole, so an invalid entry would cost them all. */
  isEntry(entry: unknown): boolean;
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const partRules: { readonly [Kind in PartKind]: PartRules } = {
  resources: {
    capability: 'resources',
    list: (upstream, options) => upstream.listResources(options),
    keyOf: ({ uri }) => textOf(uri),
    subjectOf: (server, uri) => ({ kind: 'resource', server, uri }),
    nameOf: (names, server, uri) => names.uri(server, uri),
    rename: (entry, uri) => ({ ...entry, uri }),
    isEntry: isSpecType.Resource,
  },
  resourceTemplates: {
    capability: 'resources',
    list: (upstream, options) => upstream.listResourceTemplates(options),
    keyOf: ({ uriTemplate }) => textOf(uriTemplate),
    subjectOf: (server, uri) => ({ kind: 'resource', server, uri }),
    nameOf: (names, server, uri) => names.uri(server, uri),
    rename: (entry, uriTemplate) => ({ ...entry, uriTemplate }),
    isEntry: isSpecType.ResourceTemplate,
  },
  prompts: {
    capability: 'prompts',
    list: (upstream, options) => upstream.listPrompts(options),
    keyOf: ({ name }) => textOf(name),
    subjectOf: (server, prompt) => ({ kind: 'prompt', server, prompt }),
    nameOf: (names, server, prompt) => names.prompt(server, prompt),
    rename: (entry, name) => ({ ...entry, name }),
    isEntry: isSpecType.Prompt,
  },
};

export const partKinds = Object.keys(partRules) as readonly PartKind[];

/** True if all changes of that kind at a server are visible to the audience. */
export function mayUseAllParts(policy: RolePolicy, kind: PartKind, server: string): boolean {
  return policy(partRules[kind].subjectOf(server, '')).isAllowed;
}
