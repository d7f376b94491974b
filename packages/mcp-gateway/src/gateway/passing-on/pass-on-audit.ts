import { type AuditedLimit, auditOf, type CallRecord, type PartLookup, type ToolSubject } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { ClientParts } from '../client-parts.js';
import type { UpstreamResult } from '../upstream.js';
import { routeOther } from './other-methods.js';

interface Message {
  readonly method: string;
  readonly params: UpstreamResult;
}

export class PassOnAudit {
  readonly #parts: Pick<ClientParts, 'core' | 'tasks'>;

  constructor(parts: Pick<ClientParts, 'core' | 'tasks'>) {
    this.#parts = parts;
  }

  /** @param tool - The tool of the task's call; `undefined` if the task is not the requester's. */
  task(audience: Audience, method: string, tool: ToolSubject | undefined, limit?: AuditedLimit) {
    const lookup = tool && { server: tool.server, key: tool.tool, decision: audience.policy(tool) };
    return auditOf(audience.tools)?.passedOn(method, lookup ?? {}, limit);
  }

  passedOn(audience: Audience, method: string, server: string, limit?: AuditedLimit): CallRecord | undefined {
    return auditOf(audience.tools)?.passedOn(method, serverLookup(audience.policy, server), limit);
  }

  /** Records the same event for a forbidden server as for an unknown method. */
  async refused(audience: Audience, message: Message): Promise<void> {
    const trail = auditOf(audience.tools);
    if (trail === undefined) return;
    const { core, tasks } = this.#parts;
    const whole = core.audiences.of({});
    const hidden = await routeOther(core, message, { audience: whole, tasks }).catch(() => undefined); // an unknown task
    const lookup = hidden === undefined ? {} : serverLookup(audience.policy, hidden.upstream.name);
    trail.passedOn(message.method, lookup.decision?.isAllowed === false ? lookup : {});
  }
}

function serverLookup(policy: RolePolicy, server: string): PartLookup {
  return { server, decision: policy({ kind: 'server', server }) };
}
