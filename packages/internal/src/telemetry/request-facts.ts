import type { Attributes } from '@opentelemetry/api';
import type { ObservedRequest } from '../contracts/telemetry.js';
import { isRecord } from '../json/json-values.js';
import { BoundedMap } from '../limits.js';
import { withoutUser } from '../text.js';
import { shortText } from './attributes.js';
import { KnownValues, methods, OTHER } from './known-values.js';

/** Distinct names of tools, and of prompts, in the metrics of one telemetry. */
const MAX_NAMES = 1_000;
/** Requests whose facts are kept. A full memory starts empty. */
const MAX_KNOWN = 4_000;
const MAX_URI = 512;
/** Names that lists have, of tools and of prompts. The oldest are forgotten. */
const MAX_LISTED = 10_000;

/** The same for every request of one server, method and target. */
export interface RequestFacts {
  /** `_OTHER` for an unknown method. */
  readonly method: string;
  /** The method's own field: a tool, a prompt or a resource. */
  readonly target: RequestTarget | undefined;
  readonly spanName: string;
  /** Of a span from its start, so that samplers can read them. */
  readonly spanAttributes: Attributes;
}

export type RequestTarget =
  | { readonly key: keyof KnownNames; readonly name: string }
  | { readonly key: 'mcp.resource.uri'; readonly name: string };

interface KnownNames {
  readonly 'gen_ai.tool.name': KnownValues;
  readonly 'gen_ai.prompt.name': KnownValues;
}

export const factsOfFailed: RequestFacts = { method: OTHER, target: undefined, spanName: OTHER, spanAttributes: {} };

/** Makes the facts of a request once per server, method and existing tool or prompt. */
export class RequestFactsCache {
  readonly names: KnownNames = {
    'gen_ai.tool.name': new KnownValues(MAX_NAMES),
    'gen_ai.prompt.name': new KnownValues(MAX_NAMES),
  };

  readonly #listed = {
    'gen_ai.tool.name': new BoundedMap<string, true>(MAX_LISTED),
    'gen_ai.prompt.name': new BoundedMap<string, true>(MAX_LISTED),
  };
  readonly #methods = new KnownValues(methods.length, methods);
  readonly #known = new Map<string | undefined, Map<string, Map<string | undefined, RequestFacts>>>();
  #size = 0;

  of({ method, params, server }: ObservedRequest): RequestFacts {
    const { name, uri } = params;
    const key = keyOf(method);
    if (key === 'mcp.resource.uri' && typeof uri === 'string') {
      return this.#make(method, server, { key, name: shortText(withoutSecrets(uri), MAX_URI) });
    }
    const isNamed = key === 'gen_ai.tool.name' || key === 'gen_ai.prompt.name';
    const given = isNamed && typeof name === 'string' ? name : undefined;
    const known = this.#known.get(server)?.get(method)?.get(given);
    if (known !== undefined) return known;
    const target = isNamed && given !== undefined ? { key, name: shortText(given) } : undefined;
    const facts = this.#make(method, server, target);
    if (this.#isLasting(facts, given)) this.#keep(facts, { server, method, name: given });
    return facts;
  }

  /** Remembers the names of a list: each is real, also if its calls only fail. */
  readList(method: string, { tools, prompts }: Readonly<Record<string, unknown>>): void {
    const [key, items] =
      method === 'tools/list'
        ? (['gen_ai.tool.name', tools] as const)
        : (['gen_ai.prompt.name', method === 'prompts/list' && prompts] as const);
    if (!Array.isArray(items)) return;
    for (const item of items.slice(0, MAX_LISTED)) {
      if (isRecord(item) && typeof item.name === 'string') this.#listed[key].renew(shortText(item.name), true);
    }
  }

  /** True for a tool or prompt that a list had, or that gave a result. */
  isReal(key: keyof KnownNames, name: string): boolean {
    return this.#listed[key].has(name) || this.names[key].has(name);
  }

  #make(method: string, server: string | undefined, target: RequestTarget | undefined): RequestFacts {
    const bounded = this.#methods.bounded(method);
    const isNamed = target !== undefined && target.key !== 'mcp.resource.uri';
    const spanAttributes: Attributes = { 'mcp.method.name': shortText(method) };
    if (server !== undefined) spanAttributes['mcpx.server'] = server;
    if (target !== undefined) spanAttributes[target.key] = target.name;
    if (method === 'tools/call') spanAttributes['gen_ai.operation.name'] = 'execute_tool';
    return { method: bounded, target, spanName: isNamed ? `${bounded} ${target.name}` : bounded, spanAttributes };
  }

  /** Clients choose methods and names: only those that exist stay in memory. */
  #isLasting({ method, target }: RequestFacts, name: string | undefined): boolean {
    if (method === OTHER || target?.key === 'mcp.resource.uri') return false;
    return target === undefined || (target.name === name && this.names[target.key].has(name));
  }

  #keep(
    facts: RequestFacts,
    { server, method, name }: Pick<ObservedRequest, 'server' | 'method'> & { readonly name: string | undefined },
  ): void {
    if (this.#size >= MAX_KNOWN) this.#known.clear();
    this.#size = this.#known.size === 0 ? 1 : this.#size + 1;
    const ofServer = this.#known.get(server) ?? new Map<string, Map<string | undefined, RequestFacts>>();
    const ofMethod = ofServer.get(method) ?? new Map<string | undefined, RequestFacts>();
    this.#known.set(server, ofServer.set(method, ofMethod.set(name, facts)));
  }
}

function keyOf(method: string): RequestTarget['key'] | undefined {
  if (method === 'tools/call') return 'gen_ai.tool.name';
  if (method === 'prompts/get') return 'gen_ai.prompt.name';
  return method.startsWith('resources/') ? 'mcp.resource.uri' : undefined;
}

/** Drops the user, the password, the query and the fragment. */
function withoutSecrets(uri: string): string {
  return withoutUser(uri)
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/]*@/g, '//');
}
