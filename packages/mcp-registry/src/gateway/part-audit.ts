import { auditOf } from '../audit/audit-of.js';
import type { CallRecord, PartLookup } from '../audit/audit-trail.js';
import { isRecord } from '../catalog/json-copy.js';
import type { Audience } from './audiences.js';
import type { GatewayCore, Routed } from './gateway-core.js';

/** Records what is asked for of resources and prompts, where the registry's audit does so for tools. */
export class PartAudit {
  readonly #core: GatewayCore;

  constructor(core: GatewayCore) {
    this.#core = core;
  }

  read(audience: Audience, uri: string, found: Routed): CallRecord | undefined {
    return auditOf(audience.tools)?.read(uri, resourceLookup(audience, found));
  }

  /** @param params - With the name that was asked for, and arguments. */
  gotPrompt(audience: Audience, { name, args }: AskedPrompt, found: Routed): CallRecord | undefined {
    const lookup = promptLookup(audience, found);
    return auditOf(audience.tools)?.gotPrompt(name, args, this.#argumentNames(found), lookup);
  }

  /** For what whoever asked cannot tell apart: it is not there, or they may not use it. */
  async refusedRead(audience: Audience, uri: string): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    const hidden = await this.#core.findResource(uri, this.#all.policy);
    trail.read(uri, refused(hidden && resourceLookup(audience, hidden)));
  }

  async refusedPrompt(audience: Audience, { name, args }: AskedPrompt): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    const hidden = await this.#core.findPrompt(name, this.#all.policy);
    const argumentNames = hidden === undefined ? [] : this.#argumentNames(hidden);
    trail.gotPrompt(name, args, argumentNames, refused(hidden && promptLookup(audience, hidden)));
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

interface AskedPrompt {
  readonly name: string;
  readonly args: unknown;
}

function resourceLookup({ policy }: Audience, { upstream: { name: server }, key }: Routed): PartLookup {
  return { server, key, decision: policy({ kind: 'resource', server, uri: key }) };
}

function promptLookup({ policy }: Audience, { upstream: { name: server }, key }: Routed): PartLookup {
  return { server, key, decision: policy({ kind: 'prompt', server, prompt: key }) };
}

/** What the role may use, and is not served all the same, is nothing that anybody could be served. */
function refused(lookup: PartLookup | undefined): PartLookup {
  return lookup?.decision?.isAllowed === false ? lookup : {};
}
