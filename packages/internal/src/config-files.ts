import { join } from 'node:path';

/** Files with servers, by preference in each directory. They mark a project. */
export const serverFiles: readonly string[] = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
  'mcp-servers.json',
];

export const toolsFiles: readonly string[] = [
  'tools.yaml',
  'tools.yml',
  join('config', 'tools.yaml'),
  join('config', 'tools.yml'),
];
