export const metricsPath = '/metrics';

/** Of a daemon's metrics. */
export const defaultMetricsPort = 6_280;

const wellKnown = '/.well-known/oauth-protected-resource';

/** Of the OAuth metadata of an endpoint with that public path. */
export function metadataPaths(publicPath: string): readonly string[] {
  return publicPath === '/' ? [wellKnown] : [wellKnown, wellKnown + publicPath];
}
