import type { Era } from '../../server/methods/client-request.js';
import { answerToolPage } from '../../server/methods/tool-shapes.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { incompleteMeta } from '../parts/part-answer.js';
import { missingTools } from './missing-tools.js';

export async function answerTools(
  core: GatewayCore,
  audience: Audience,
  request: { readonly cursor: string | undefined; readonly era: Era },
) {
  const page = answerToolPage(audience.view, { pageSize: core.policy.serving.pageSize, ...request });
  return { ...page, ...incompleteMeta(await missingTools(core, audience)) };
}
