import { isRecord } from '@x/internal/json';
import {
  type AuditedLimit,
  auditOf,
  type CallRecord,
  type InterceptorDecision,
  type PartLookup,
} from '@x/internal/views';
import type { Audience } from '../audiences.js';
import type { GatewayCore, Routed } from '../gateway-core.js';

interface AskedPrompt {
  readonly name: string;
  readonly args: unknown;
}

/** A template by its URI, or a prompt. */
export type AskedCompletion = AskedPrompt | { readonly uri: string; readonly args: unknown };

/** Audits requests about resources and prompts, as the registry does for tools. */
export class PartAudit {
  readonly #core: GatewayCore;

  constructor(core: GatewayCore) {
    this.#core = core;
  }

  read(audience: Audience, uri: string, found: Routed, limit?: AuditedLimit): CallRecord | undefined {
    return auditOf(audience.tools)?.read(uri, resourceLookup(audience, found), limit);
  }

  /** Of an interceptor. */
  readUnowned(audience: Audience, uri: string, decisions: readonly InterceptorDecision[]): CallRecord | undefined {
    const record = auditOf(audience.tools)?.read(uri, { decision: { isAllowed: true } });
    for (const decision of decisions) record?.decided(decision);
    return record;
  }

  gotPrompt(audience: Audience, asked: AskedPrompt, found: Routed, limit?: AuditedLimit): CallRecord | undefined {
    const prompt = { ...asked, argumentNames: this.#argumentNames(found) };
    return auditOf(audience.tools)?.gotPrompt(prompt, promptLookup(audience, found), limit);
  }

  completed(audience: Audience, asked: AskedCompletion, found: Routed, limit?: AuditedLimit): CallRecord | undefined {
    const trail = auditOf(audience.tools);
    if ('uri' in asked) return trail?.completed(asked, resourceLookup(audience, found), limit);
    const prompt = { ...asked, argumentNames: this.#argumentNames(found) };
    return trail?.completed(prompt, promptLookup(audience, found), limit);
  }

  subscribed(audience: Audience, uri: string, found: Routed, limit?: AuditedLimit): CallRecord | undefined {
    return auditOf(audience.tools)?.subscribed(uri, resourceLookup(audience, found), limit);
  }

  /** Records the same event for a forbidden part as for one that does not exist. */
  async refusedRead(audience: Audience, uri: string): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail !== undefined) trail.read(uri, await this.#refusedResource(audience, uri));
  }

  async refusedSubscription(audience: Audience, uri: string): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail !== undefined) trail.subscribed(uri, await this.#refusedResource(audience, uri));
  }

  async refusedPrompt(audience: Audience, asked: AskedPrompt): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    const { lookup, argumentNames } = await this.#refusedPrompt(audience, asked.name);
    trail.gotPrompt({ ...asked, argumentNames }, lookup);
  }

  async refusedCompletion(audience: Audience, asked: AskedCompletion): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    if ('uri' in asked) {
      trail.completed(asked, await this.#refusedResource(audience, asked.uri));
      return;
    }
    const { lookup, argumentNames } = await this.#refusedPrompt(audience, asked.name);
    trail.completed({ ...asked, argumentNames }, lookup);
  }

  async #refusedResource(audience: Audience, uri: string): Promise<PartLookup> {
    const hidden = await this.#core.findResource(uri, this.#all);
    return refused(hidden && resourceLookup(audience, hidden));
  }

  async #refusedPrompt(audience: Audience, name: string) {
    const hidden = await this.#core.findPrompt(name, this.#all);
    const argumentNames = hidden === undefined ? [] : this.#argumentNames(hidden);
    return { lookup: refused(hidden && promptLookup(audience, hidden)), argumentNames };
  }

  get #all(): Audience {
    return this.#core.audiences.of({});
  }

  #argumentNames({ upstream, key }: Routed): readonly string[] {
    const prompt = this.#core.lists.known('prompts', upstream.name).find(({ name }) => name === key);
    const known = Array.isArray(prompt?.arguments) ? prompt.arguments : [];
    return known.flatMap((argument) =>
      isRecord(argument) && typeof argument.name === 'string' ? [argument.name] : [],
    );
  }
}

function resourceLookup({ policy }: Audience, { upstream: { name: server }, key }: Routed): PartLookup {
  return { server, key, decision: policy({ kind: 'resource', server, uri: key }) };
}

function promptLookup({ policy }: Audience, { upstream: { name: server }, key }: Routed): PartLookup {
  return { server, key, decision: policy({ kind: 'prompt', server, prompt: key }) };
}

/** An allowed part that is not served has another reason, which applies to all audiences. */
function refused(lookup: PartLookup | undefined): PartLookup {
  return lookup?.decision?.isAllowed === false ? lookup : {};
}
