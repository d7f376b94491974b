/** Name of the variable that the client manager sets in the environment of every process it starts. */
export const ownerVariable = 'MCP_CLIENT_MANAGER_OWNER';

/** Prefix of the variable's value for everything that this process started. */
export function ownerPrefix(): string {
  return `${process.pid}-`;
}

/** An environment that marks a process as started by this test, for tests that spawn without the client manager. */
export function withOwner(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, [ownerVariable]: `${ownerPrefix()}test` };
}
