const wellKnown = '/.well-known/oauth-protected-resource';

export interface Routes {
  readonly path: string;
  /** The path of the endpoint as clients know it, if those that sign in are told of it. */
  readonly publicPath: string | undefined;
}

/** Serves the endpoint's path, and the document for clients that sign in; anything else is not found. */
export function atPaths(
  { path, publicPath }: Routes,
  fetch: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const documents =
    publicPath === undefined ? [] : [wellKnown, publicPath === '/' ? wellKnown : wellKnown + publicPath];
  const served = new Set([path, ...documents]);
  return async (request) => {
    if (served.has(new URL(request.url).pathname)) return fetch(request);
    const error = { code: -32_601, message: `Nothing is served here; the endpoint is ${path}` };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  };
}
