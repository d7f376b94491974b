/** Environment variable that the client manager sets for every process. */
export const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';

/** Prefix of its value for children of this process. */
export function ownerPrefix(): string {
  return `${process.pid}-`;
}

/** Environment that marks a process as a child of this test, for tests without the client manager. */
export function withOwner(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, [ownerVariable]: `${ownerPrefix()}test` };
}
