// Everything that can be imported from "@x/mcp/models": the formats of model APIs.
export * from '@x/mcp-registry/formats';
