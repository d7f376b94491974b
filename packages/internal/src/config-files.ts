/** Files with servers, by preference in each directory. They mark a project. */
export const serverFiles: readonly string[] = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  'config/mcp_servers.yaml',
  'config/mcp_servers.yml',
  '.mcp.json',
  'mcp-servers.json',
];

export const toolsFiles: readonly string[] = ['tools.yaml', 'tools.yml', 'config/tools.yaml', 'config/tools.yml'];
