import { answerToolPage } from '../../server/tool-page.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { incompleteMeta } from '../parts/part-answer.js';
import { missingTools } from './missing-tools.js';

/** One page of the tools that an audience may use, and which servers' tools are not known. */
export function answerTools(core: GatewayCore, audience: Audience, cursor: string | undefined) {
  const page = answerToolPage(audience.view, core.policy.serving.pageSize, cursor);
  return { ...page, ...incompleteMeta(missingTools(core, audience)) };
}
