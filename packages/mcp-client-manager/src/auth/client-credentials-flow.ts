// The SDK's implementation of the grant `client_credentials`. Loaded on first use.
export { ClientCredentialsProvider } from '@modelcontextprotocol/client';
