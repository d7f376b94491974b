import type { NodeListener } from '@x/mcp-gateway';
import { turnAway } from './turn-away.js';

const wellKnown = '/.well-known/oauth-protected-resource';

export interface Routes {
  readonly path: string;
  /** The path of the endpoint as clients know it, if those that sign in are told of it. */
  readonly publicPath: string | undefined;
}

/** Serves the endpoint's path, and the document for clients that sign in; anything else is not found. */
export function atPaths({ path, publicPath }: Routes, listener: NodeListener): NodeListener {
  const documents =
    publicPath === undefined ? [] : [wellKnown, publicPath === '/' ? wellKnown : wellKnown + publicPath];
  const served = new Set([path, ...documents]);
  return (request, response) => {
    const [asked = ''] = (request.url ?? '').split('?', 1);
    if (served.has(asked)) return listener(request, response);
    turnAway(response, { status: 404, code: -32_601, message: `Nothing is served here; the endpoint is ${path}` });
  };
}
