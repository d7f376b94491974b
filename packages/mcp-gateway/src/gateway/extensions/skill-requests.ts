import { isRecord } from '@x/internal/json';
import type { AuditedLimit } from '@x/internal/views';
import type { ClientRequest } from '../../server/methods/client-request.js';
import { resourceNotFound } from '../../server/methods/results.js';
import type { Audience } from '../audiences.js';
import { isWholeServer } from '../capabilities.js';
import type { ClientServices } from '../client-services.js';
import { ForwardedRequests } from '../forwarding/forwarded-requests.js';
import { readServerPages } from '../forwarding/server-pages.js';
import type { Routed } from '../gateway-core.js';
import { rewriteAppLink } from '../naming/gateway-names.js';
import { incompleteMeta, mergeParts, partPageOf } from '../resources-and-prompts/merged-list.js';
import { mayUseAllParts } from '../resources-and-prompts/part-kinds.js';
import type { GatewayUpstream, UpstreamEntry, UpstreamResult } from '../upstream.js';
import { SKILLS_EXTENSION } from './extension-ids.js';

type Params = Readonly<Record<string, unknown>>;

interface SkillList {
  readonly server: string;
  readonly items: readonly UpstreamEntry[];
  readonly reason?: string;
}

/** Handles the methods of the skills extension (SEP-2640) for any number of servers. Skills are resources to roles. */
export class SkillRequests {
  readonly #parts: ClientServices;
  readonly #forwarded: ForwardedRequests;

  constructor(parts: ClientServices) {
    this.#parts = parts;
    this.#forwarded = new ForwardedRequests(parts);
  }

  async answer(params: Params, context: ClientRequest): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const audience = this.#parts.audience();
    if (isWholeServer(core, audience)) return this.#forwarded.forward(context.method, params, context);
    if (context.method === 'skills/list') return this.#list(audience, params.cursor, context);
    const found = await this.#find(audience, String(params.uri), context);
    const record = (limit?: AuditedLimit) => this.#forwarded.audit.about(audience, context.method, found, limit);
    const routed = { upstream: found.upstream, params: { ...params, uri: found.key } };
    const result = await this.#forwarded.send(context.method, routed, context, { audience, record });
    return this.#renamed(result, audience, found.upstream.name);
  }

  async #list(audience: Audience, cursor: unknown, context: ClientRequest): Promise<UpstreamResult> {
    const { core } = this.#parts;
    const { names, serving } = core.policy;
    const upstreams = core.usedBy(audience).filter(hasSkills);
    const lists = await Promise.all(upstreams.map((upstream) => this.#listOf(upstream, audience, context)));
    const { policy } = audience;
    const owners = names.mode === 'as-is' ? audience.names.resources : undefined;
    const { parts } = mergeParts(lists, { kind: 'resources', names, policy, owners });
    const given = typeof cursor === 'string' ? cursor : undefined;
    const { parts: page, ...next } = partPageOf(parts, serving.pageSize, given);
    const skills = page.map(({ server, entry }) => this.#skill(entry, audience, server));
    const mayKnowOf = (server: string) =>
      mayUseAllParts(policy, 'resources', server) || parts.some((part) => part.server === server);
    const missing = lists.flatMap(({ server, reason }) =>
      reason !== undefined && mayKnowOf(server) ? [{ server, reason }] : [],
    );
    return { skills, ...next, ...incompleteMeta(missing) };
  }

  async #listOf(upstream: GatewayUpstream, audience: Audience, context: ClientRequest): Promise<SkillList> {
    const { method, era } = context;
    const record = (limit?: AuditedLimit) => this.#forwarded.audit.listed(audience, method, upstream.name, limit);
    const request = { method, items: 'skills', upstream, audience, context, era, record };
    const { items, ...list } = await readServerPages(this.#parts, request);
    return { ...list, items: items.filter(isSkill) };
  }

  async #find(audience: Audience, uri: string, context: ClientRequest): Promise<Routed> {
    const found = await this.#parts.core.findResource(uri, audience);
    if (found !== undefined) return found;
    await this.#forwarded.audit.refused(audience, { method: context.method, params: { uri } });
    throw resourceNotFound(uri);
  }

  #renamed(result: UpstreamResult, audience: Audience, server: string): UpstreamResult {
    const { skill, resources } = result;
    return {
      ...result,
      ...(isRecord(skill) && { skill: this.#skill(skill, audience, server) }),
      ...(Array.isArray(resources) && { resources: this.#files(resources, audience, server) }),
    };
  }

  #skill(skill: UpstreamEntry, audience: Audience, server: string): UpstreamEntry {
    const { resources } = skill;
    const files = Array.isArray(resources) ? { resources: this.#files(resources, audience, server) } : {};
    return { ...this.#entry(skill, server), ...files };
  }

  #files(files: readonly unknown[], { policy }: Audience, server: string): readonly UpstreamEntry[] {
    return files.filter(isRecord).flatMap((file) => {
      const { uri } = file;
      const isAllowed = typeof uri === 'string' && policy({ kind: 'resource', server, uri }).isAllowed;
      return isAllowed ? [this.#entry(file, server)] : [];
    });
  }

  #entry(entry: UpstreamEntry, server: string): UpstreamEntry {
    const rename = (uri: string) => this.#parts.core.policy.names.uri(server, uri);
    const linked = rewriteAppLink(entry, rename);
    return typeof linked.uri === 'string' ? { ...linked, uri: rename(linked.uri) } : linked;
  }
}

function hasSkills({ session }: GatewayUpstream): boolean {
  const declared = session?.capabilities.extensions;
  return isRecord(declared) && declared[SKILLS_EXTENSION] !== undefined;
}

/** Clients validate a list as a whole, so an invalid entry would cost them all. */
function isSkill(value: unknown): value is UpstreamEntry {
  if (!isRecord(value) || typeof value.uri !== 'string' || !isRecord(value.frontmatter)) return false;
  const { frontmatter, resources } = value;
  const isNamed = typeof frontmatter.name === 'string' && typeof frontmatter.description === 'string';
  return isNamed && (resources === 'dynamic' || (Array.isArray(resources) && resources.every(isFile)));
}

function isFile(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.uri === 'string' &&
    typeof value.digest === 'string' &&
    typeof value.size === 'number'
  );
}
