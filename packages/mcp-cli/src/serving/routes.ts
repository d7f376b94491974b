import type { NodeListener } from '@x/mcp-gateway';
import { turnAway } from './turn-away.js';

const wellKnown = '/.well-known/oauth-protected-resource';

export interface Routes {
  readonly path: string;
  /** Public path, if clients need OAuth metadata. */
  readonly publicPath: string | undefined;
}

/** Serves the endpoint and its OAuth metadata; responds 404 to everything else. */
export function atPaths({ path, publicPath }: Routes, listener: NodeListener): NodeListener {
  const documents =
    publicPath === undefined ? [] : [wellKnown, publicPath === '/' ? wellKnown : wellKnown + publicPath];
  const served = new Set([path, ...documents]);
  return (request, response) => {
    const [asked = ''] = (request.url ?? '').split('?', 1);
    if (served.has(asked)) return listener(request, response);
    turnAway(response, { status: 404, code: -32_601, message: `Not found; the endpoint is ${path}` });
  };
}
