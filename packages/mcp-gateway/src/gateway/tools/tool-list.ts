import type { Era } from '../../server/methods/client-request.js';
import { answerToolPage } from '../../server/tool-page.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { incompleteMeta } from '../parts/part-answer.js';
import { missingTools } from './missing-tools.js';

/** One page of the tools that an audience may use, with the servers whose tools are unknown. */
export async function answerTools(
  core: GatewayCore,
  audience: Audience,
  request: { readonly cursor: string | undefined; readonly era: Era },
) {
  const page = answerToolPage(audience.view, { pageSize: core.policy.serving.pageSize, ...request });
  return { ...page, ...incompleteMeta(await missingTools(core, audience)) };
}
