import { publicName } from '@x/internal/names';
import { toGatewayUri } from './resource-uris.js';

/**
 * `prefixed`: everything says in its name which server it is of. `as-is`: everything has the name that its server gave
 * it, as if there were no gateway; what two servers name the same is not served.
 */
export type NamingMode = 'prefixed' | 'as-is';

/** How clients see what a server names. */
export interface GatewayNames {
  readonly mode: NamingMode;
  /** A URI, or a template of URIs. */
  uri(server: string, uri: string): string;
  prompt(server: string, prompt: string): string;
  logger(server: string, logger: string | undefined): string | undefined;
}

export const gatewayNames: { readonly [Mode in NamingMode]: GatewayNames } = {
  prefixed: {
    mode: 'prefixed',
    uri: (server, uri) => toGatewayUri({ server, uri }),
    prompt: (server, prompt) => publicName(server, prompt),
    logger: (server, logger) => (logger === undefined ? server : `${server}.${logger}`),
  },
  'as-is': {
    mode: 'as-is',
    uri: (_, uri) => uri,
    prompt: (_, prompt) => prompt,
    logger: (_, logger) => logger,
  },
};
