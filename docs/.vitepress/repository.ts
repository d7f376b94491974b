/** Where the project's files can be read online. */
export const repository = 'https://github.com/x/mcp-plumbing';
