import { publicName } from '@x/internal/names';
import { toGatewayUri } from './resource-uris.js';

/**
 * `prefixed`: every name contains its server. `as-is`: every name is the server's own, and a name that several servers
 * use is not served.
 */
export type NamingMode = 'prefixed' | 'as-is';

/** Converts names of servers for clients. */
export interface GatewayNames {
  readonly mode: NamingMode;
  /** Accepts a URI or a URI template. */
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
