import type { Config, RequirementTier } from '@x/mcp-config-schema';

/** Strongest first. */
export const tiers = ['required', 'recommended', 'optional'] as const satisfies readonly RequirementTier[];

/** Strongest requirement of any tool for a server. */
export function requirementOf({ tools }: Pick<Config, 'tools'>, server: string): RequirementTier | undefined {
  return tiers.find((tier) => tools.some(({ mcpTools }) => mcpTools[tier].includes(server)));
}
