// The protocol SDK, in the very copy that the manager runs on: the two clients differ in nothing but the manager.
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../packages/mcp-client-manager/package.json', import.meta.url));

export const {
  Client,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} = require('@modelcontextprotocol/client');
